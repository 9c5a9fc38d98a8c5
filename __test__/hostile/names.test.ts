import { writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  DefaultFilesystemMigrator,
  DefaultPathBuilder,
  DiskArchiveBackend,
  DiskSessionStore,
  GitWorktreeDriver,
  getRootLogger,
  verify,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { seeded } from '../processes/support/seed.js';
import { managerOf } from '../retention/archive-world.js';
import { HandWrittenRoot } from '../support/hand-written.js';
import type { Prng } from '../support/prng.js';
import { tempDir } from '../support/temp-root.js';
import { bytesOf, namesBelow, writeText } from '../support/tree.js';
import { ALPHA, present, userOf, World } from '../support/world.js';

/** Names that programs have tripped over. */
const LISTED = [
  '',
  '.',
  '..',
  '...',
  '/',
  '//',
  '/etc/passwd',
  '~',
  '~root',
  '../',
  '../../../../../../../../decoy',
  '..\\..\\decoy',
  './x',
  'x/.',
  'x/..',
  'x/../../decoy',
  'a/b',
  'a\\b',
  'a//b',
  'C:\\decoy',
  'C:decoy',
  '\\\\server\\share',
  '\\\\?\\C:\\decoy',
  'CON',
  'NUL',
  'com1.txt',
  'file:///etc/passwd',
  'a:b',
  'a::$DATA',
  'a\0b',
  '\0',
  'a\nb',
  'a\rb',
  'a\tb',
  ' ',
  ' a',
  'a ',
  'a.',
  '.a',
  '.git',
  '.store',
  '.store/frames',
  'archive',
  'projects',
  'project.json',
  'x.json',
  'x.tmp',
  '%2e%2e%2f',
  '%00',
  '..%c0%af',
  '．．／',
  '‥/',
  '\u202edecoy',
  '\u200b',
  'ä',
  'é\u0301',
  '💥',
  '\ud800',
  '\udfff\ud800',
  '$(reboot)',
  '`reboot`',
  '$HOME',
  ';reboot',
  '|reboot',
  '--upload-pack=reboot',
  '-rf',
  '*',
  '?',
  '[a]',
  '{a,b}',
  "'; DROP TABLE sessions; --",
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(125),
  'x'.repeat(4_096),
  'x'.repeat(100_000),
] as const;

const PREFIXES = ['prj_', 'ses_', 'sub_', 'arc_', 'thd_', 'run_', ''] as const;
const PIECES = [...LISTED.filter((name) => name.length < 100), 'a', 'Z', '9', '_', '-'];
const WELL_FORMED = /^[A-Za-z0-9_-]{1,124}$/;

/** A name that is made of pieces of such names. */
function generated(random: Prng): string {
  let name = '';
  for (let n = 1 + random.below(4); n > 0; n -= 1) {
    name += random.chance(0.1)
      ? String.fromCharCode(random.below(random.chance(0.5) ? 128 : 0x10000))
      : random.pick(PIECES);
  }
  return name;
}

const GENERATED = 100_000;
const ROOTS = process.env.NAMZU_FULL ? 3_000 : 200;

async function decoyed() {
  const dir = tempDir();
  const root = join(dir, 'root');
  const store = new DiskSessionStore({ rootDir: root });
  const world = await World.in(store);
  const session = await world.session();
  const edge = await world.edge(session, await world.session());
  const decoy = new HandWrittenRoot(join(dir, 'decoy'));
  await decoy.project('prj_d');
  await decoy.session('prj_d', 'ses_d');
  const backend = new DiskArchiveBackend({ rootDir: root });
  const manager = managerOf(store, backend);
  // What an idle store does of itself is done.
  await new DiskSessionStore({ rootDir: root }).close();
  return { dir, root, store, world, session, edge, backend, manager };
}

type Decoyed = Awaited<ReturnType<typeof decoyed>>;

const WAYS = 20;
/** Every way with every prefix. */
const USES = WAYS * PREFIXES.length;

/** What git may be told beside what a reference to a workspace says. */
const WORDS = /^(-C|worktree|remove|list|branch|status|for-each-ref|-D|--force|--porcelain)$/;

function builtOf(build: () => string): string | null {
  try {
    return build();
  } catch (error) {
    expect((error as Error).name).toMatch(/^(Error|Invalid(Id|Argument)Error)$/);
    return null;
  }
}

/** Puts a name into each part of a reference to a workspace: git is told it as it is, or nothing. */
async function ofWorkspace(root: string, id: string, how: number) {
  const driver = new GitWorktreeDriver({
    repoRoot: join(root, 'repo'),
    logger: getRootLogger(),
    execFile: async (file, args) => {
      expect(file).toBe('git');
      for (const arg of args) {
        if (WORDS.test(arg) || arg.startsWith(join(root, 'repo'))) continue;
        expect([id, 'namzu/x', `refs/heads/${id}`, 'refs/heads/namzu/x']).toContain(arg);
      }
      return { stdout: '', stderr: '' };
    },
  });
  const meta = {
    backend: 'git-worktree',
    repoRoot: join(root, 'repo'),
    branch: 'namzu/x',
    worktreePath: join(root, 'repo/x'),
  } as const;
  const part = (['repoRoot', 'branch', 'worktreePath'] as const)[how % 3] as string;
  const ref = { id: 'wsp_a', meta: { ...meta, [part]: id }, createdAt: new Date() } as const;
  await (how % 2 === 0 ? driver.inspect(ref) : driver.dispose(ref)).catch((error) => {
    expect(error.name, JSON.stringify(id)).toMatch(/^(WorkspaceBackend|InvalidArgument)Error$/);
  });
}

/** Puts a name wherever a name becomes part of a path. */
async function use(decoyed: Decoyed, name: string, how: number) {
  const { root, store, world, session, edge, backend, manager } = decoyed;
  const prefix = PREFIXES[how % PREFIXES.length] as string;
  const id = `${prefix}${name}`;
  const wellFormed = (kind: string) =>
    id.startsWith(kind) && WELL_FORMED.test(id.slice(kind.length));
  const refusedUnless = async (kind: string, call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (error) => error,
    );
    if (wellFormed(kind)) return;
    expect(error?.name, JSON.stringify(id)).toMatch(/^Invalid(Id|Argument)Error$/);
  };
  switch (Math.floor(how / PREFIXES.length) % WAYS) {
    case 0:
      expect(await store.getSession(id as 'ses_', ALPHA)).toBeNull();
      return;
    case 1:
      expect(await store.loadMessages(id as 'ses_', ALPHA)).toStrictEqual([]);
      return;
    case 2:
      return refusedUnless(
        'ses_',
        store.appendMessage(id as 'ses_', { role: 'user', content: 'x' }, ALPHA),
      );
    case 3:
      return refusedUnless(
        'prj_',
        store.createSession({ projectId: id as 'prj_', currentActor: null }, ALPHA),
      );
    case 4:
      return refusedUnless('ses_', store.updateSession({ ...session, id: id as 'ses_' }, ALPHA));
    case 5:
      return void (await store.deleteSession(id as 'ses_', ALPHA));
    case 6:
      return refusedUnless(
        'ses_',
        store.recordSummary(world.summary({ ...session, id: id as 'ses_' }), ALPHA),
      );
    case 7:
      await expect(backend.restore(id as 'arc_')).rejects.toMatchObject({
        details: { reason: 'missing' },
      });
      return;
    case 8:
      return void (await backend.remove(id as 'arc_'));
    case 9: {
      const builder = new DefaultPathBuilder(root);
      const [prj, ses, sub] = [world.project.id, session.id, edge.id];
      const parts: [string, () => string][] = [
        ['prj_', () => builder.projectDir(id as 'prj_')],
        ['prj_', () => builder.sessionDir(id as 'prj_', ses)],
        ['ses_', () => builder.sessionDir(prj, id as 'ses_')],
        ['prj_', () => builder.subSessionDir(id as 'prj_', ses, sub)],
        ['ses_', () => builder.subSessionDir(prj, id as 'ses_', sub)],
        ['sub_', () => builder.subSessionDir(prj, ses, id as 'sub_')],
        ['prj_', () => builder.runDir(id as 'prj_', ses, 'run_a')],
        ['ses_', () => builder.runDir(prj, id as 'ses_', 'run_a')],
      ];
      // What a run is called is the application's: any one name, if it is one.
      const runs = join(builder.sessionDir(prj, ses), 'runs');
      const folder = builtOf(() => builder.runDir(prj, ses, id as 'run_'));
      if (wellFormed('run_')) expect(folder).toBe(join(runs, id));
      if (folder !== null) expect([dirname(folder), basename(folder)]).toStrictEqual([runs, id]);
      const [kind, build] = parts[(how + name.length) % parts.length] as (typeof parts)[0];
      const built = builtOf(build);
      if (!wellFormed(kind)) expect(built, JSON.stringify(id)).toBeNull();
      else expect(built && resolve(built).startsWith(join(root, 'projects/'))).toBe(true);
      return;
    }
    case 10:
      expect(await store.getProject(id as 'prj_', ALPHA)).toBeNull();
      return;
    case 11:
      expect((await store.listSessionsByProject(id as 'prj_', ALPHA)).items).toStrictEqual([]);
      return;
    case 12:
      expect(await store.getSubSession(id as 'sub_', ALPHA)).toBeNull();
      await store.deleteSubSession(id as 'sub_', ALPHA);
      return;
    case 13:
      return refusedUnless('sub_', store.updateSubSession({ ...edge, id: id as 'sub_' }, ALPHA));
    case 14: {
      const spawned = { kind: 'agent_spawn', spawnedBy: userOf(ALPHA) } as const;
      const [own, other] = how % 2 === 0 ? [session.id, id as 'ses_'] : [id as 'ses_', session.id];
      const ids = { parentSessionId: own, childSessionId: other };
      return refusedUnless('ses_', store.createSubSession({ ...ids, ...spawned }, ALPHA));
    }
    case 15:
      // A cursor is looked for among the messages, and is no part of a path.
      for (const options of [{ before: id as 'msg_' }, { after: id as 'msg_', limit: 2 }]) {
        const loaded = await store.loadMessages(session.id, ALPHA, options).catch((error) => {
          expect(error.name, JSON.stringify(id)).toMatch(
            /^(InvalidId|InvalidArgument|NotFound)Error$/,
          );
          return [];
        });
        expect(loaded).toStrictEqual([]);
      }
      return;
    case 16: {
      const refused = /^SubSessionNotArchiv(able|ed)Error$|^Invalid\w+Error$/;
      const sub = id as 'sub_';
      const answer: Promise<unknown> =
        name.length % 2 === 0 ? manager.archive(sub, ALPHA) : manager.restore(sub, ALPHA);
      const outcome = await answer.then(
        () => 'answered',
        (error) => error.name,
      );
      expect(outcome, JSON.stringify(id)).toMatch(refused);
      return;
    }
    case 17: {
      const swept = await manager.sweep(id as 'prj_', ALPHA).catch((error) => {
        expect(error.name, JSON.stringify(id)).toMatch(
          /^(InvalidId|InvalidArgument|NotFound)Error$/,
        );
        return { archived: [] };
      });
      expect(swept.archived).toStrictEqual([]);
      return;
    }
    case 18:
      return ofWorkspace(root, id, how);
    default: {
      const ran: string[][] = [];
      const driver = new GitWorktreeDriver({
        repoRoot: join(root, 'repo'),
        logger: getRootLogger(),
        execFile: async (_, args) => {
          ran.push([...args]);
          return { stdout: '', stderr: '' };
        },
      });
      await driver.create({ label: id }).catch((error) => {
        expect(error.name, JSON.stringify(id)).toMatch(/^(WorkspaceBackend|InvalidArgument)Error$/);
      });
      for (const args of ran.filter((args) => args.includes('add'))) {
        const [, , , , , branch, path] = args;
        expect(branch).toBe(`namzu/${id}`);
        expect(path).toBe(join(root, 'repo/.namzu/worktrees', id));
        expect(id).not.toMatch(/^[-.]|[/\\]|\.\./);
      }
    }
  }
}

describe('names that try to become paths', () => {
  it(`${LISTED.length} known ones, everywhere, reach nothing and change nothing`, async () => {
    const world = await decoyed();
    const before = await bytesOf(world.dir, ['.']);
    expect(LISTED.length).toBeGreaterThanOrEqual(60);
    for (const name of LISTED) {
      for (let how = 0; how < USES; how += 1) await use(world, name, how);
    }
    expect(await bytesOf(world.dir, ['.'])).toStrictEqual(before);
  });

  it(`${GENERATED} generated ones reach nothing and change nothing`, async () => {
    const { random, seed } = seeded('names');
    const world = await decoyed();
    const before = await bytesOf(world.dir, ['.']);
    const batch = 250;
    for (let n = 0; n < GENERATED; n += batch) {
      await Promise.all(
        Array.from({ length: batch }, () =>
          use(world, generated(random), random.below(USES)).catch((error) => {
            error.message += ` (seed ${seed})`;
            throw error;
          }),
        ),
      );
    }
    expect(await bytesOf(world.dir, ['.'])).toStrictEqual(before);
    expect(present(await world.store.getSession(world.session.id, ALPHA))).toStrictEqual(
      world.session,
    );
  }, 120_000);

  /** Makes a store in a root directory and says how that went: `made` where it says, or refused. */
  async function madeAt(dir: string, rootDir: string): Promise<string> {
    let store: DiskSessionStore;
    try {
      store = new DiskSessionStore({ rootDir, durability: 'relaxed' });
    } catch (error) {
      return (error as Error).name;
    }
    const outcome = await store.createProject({ tenantId: ALPHA, name: 'x' }, ALPHA).then(
      () => 'made',
      (error) => error.name,
    );
    await store.close().catch(() => undefined);
    expect(outcome, JSON.stringify(rootDir)).toMatch(/^(made|InvalidArgumentError|StoreIoError)$/);
    if (outcome === 'made') {
      const place = resolve(dir, rootDir);
      expect(await namesBelow(place), JSON.stringify(rootDir)).toContain('.store/frames');
    }
    return outcome;
  }

  it('a root directory of such a name is that very one, or is refused', async () => {
    const dir = tempDir();
    let made = 0;
    for (const name of LISTED) {
      if (name.startsWith('/') || name.includes('..')) continue;
      if ((await madeAt(dir, join(dir, 'roots', `r${name}`))) === 'made') made += 1;
    }
    expect(made).toBeGreaterThan(30);
    expect((await namesBelow(dir)).filter((name) => !name.startsWith('roots/'))).toStrictEqual([]);
    for (const special of ['/dev/null', '/dev/full', '/proc/self/mem', '/proc/none/x']) {
      if (process.platform !== 'linux') continue;
      const store = new DiskSessionStore({ rootDir: special });
      const refused = { name: 'StoreIoError', details: { outcome: 'not_done' } };
      await expect(
        store.createProject({ tenantId: ALPHA, name: 'x' }, ALPHA),
      ).rejects.toMatchObject(refused);
    }
  });

  it.runIf(process.platform !== 'win32')(
    'one that leads elsewhere is where it leads, and nowhere else',
    async () => {
      const dir = tempDir();
      writeFileSync(join(dir, 'file'), 'kept');
      const ways = {
        [`${dir}/a/../b`]: 'b',
        [`${dir}/a/b/../../c`]: 'c',
        [`${dir}/./d/.`]: 'd',
        [`${dir}//e//`]: 'e',
        [`/../..${dir}/f`]: 'f',
        [`//${dir.slice(1)}/g`]: 'g',
        [`${dir}/file/../h`]: 'h',
        [`${dir}/i/...`]: 'i/...',
        [`${dir}/file`]: null,
        [`${dir}/file/x`]: null,
        [`${dir}/file/.`]: null,
      };
      for (const [rootDir, leads] of Object.entries(ways)) {
        const outcome = await madeAt(dir, rootDir);
        expect(outcome, rootDir).toBe(leads === null ? 'StoreIoError' : 'made');
      }
      const roots = Object.values(ways).filter((leads) => leads !== null);
      const stray = (await namesBelow(dir)).filter(
        (name) => !roots.some((root) => `${name}/`.startsWith(`${root}/`)),
      );
      expect(stray).toStrictEqual(['file', 'i/']);
    },
  );

  it('generated ones are where they lead, or are refused', async () => {
    const { random, seed } = seeded('root directories');
    const dir = tempDir();
    const decoy = new HandWrittenRoot(join(dir, 'decoy'));
    await decoy.project('prj_d');
    const before = await bytesOf(dir, ['decoy']);
    const counts: Record<string, number> = {};
    for (let n = 0; n < ROOTS; n += 1) {
      const rootDir = `${dir}/roots/${n}/${generated(random)}`;
      // Within what is looked at below; a name too long is refused like any other.
      if (!`${resolve(rootDir)}/`.startsWith(`${dir}/roots/`)) continue;
      const outcome = await madeAt(dir, rootDir).catch((error) => {
        error.message += ` (seed ${seed})`;
        throw error;
      });
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    expect(counts.made).toBeGreaterThan(ROOTS / 4);
    expect(await bytesOf(dir, ['decoy'])).toStrictEqual(before);
    const stray = (await namesBelow(dir)).filter((name) => !/^(roots|decoy)\//.test(name));
    expect(stray).toStrictEqual([]);
  }, 60_000);

  it.runIf(process.platform === 'linux')(
    'threads of such names are refused before anything moves',
    async () => {
      for (const name of LISTED.filter((name) => !/[/\0]/.test(name) && name.length < 200)) {
        if (!name.isWellFormed()) continue;
        const root = join(tempDir(), 'root');
        await writeText(root, `threads/thd_${name}/runs/run_1/run.json`, '{}');
        await writeText(root, 'threads/thd_good/runs/run_1/run.json', '{}');
        const before = await bytesOf(root, ['threads']);
        const migrated = new DefaultFilesystemMigrator().migrate(root);
        if (/^[A-Za-z0-9_-]{1,113}$/.test(name)) {
          expect((await migrated).migratedThreads, name).toHaveLength(2);
          continue;
        }
        await expect(migrated, name).rejects.toMatchObject({
          details: { op: 'validate_thread_id' },
        });
        expect(await bytesOf(root, ['threads'])).toStrictEqual(before);
        expect((await verify(root)).filter(({ kind }) => kind !== 'leftover')).toStrictEqual([]);
      }
    },
  );
});
