import { join } from 'node:path';
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
import { HandWrittenRoot } from '../support/hand-written.js';
import type { Prng } from '../support/prng.js';
import { tempDir } from '../support/temp-root.js';
import { bytesOf, namesBelow, writeText } from '../support/tree.js';
import { ALPHA, present, World } from '../support/world.js';

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
  '.store/journal',
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

const PREFIXES = ['prj_', 'ses_', 'sub_', 'arc_', 'thd_', ''] as const;
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

async function decoyed() {
  const dir = tempDir();
  const root = join(dir, 'root');
  const store = new DiskSessionStore({ rootDir: root });
  const world = await World.in(store);
  const session = await world.session();
  const decoy = new HandWrittenRoot(join(dir, 'decoy'));
  await decoy.project('prj_d');
  await decoy.session('prj_d', 'ses_d');
  const backend = new DiskArchiveBackend({ rootDir: root });
  return { dir, root, store, world, session, backend };
}

type Decoyed = Awaited<ReturnType<typeof decoyed>>;

/** Puts a name wherever a name becomes part of a path. */
async function use({ root, store, world, session, backend }: Decoyed, name: string, how: number) {
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
  switch (how % 11) {
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
      if (wellFormed('prj_')) expect(builder.projectDir(id as 'prj_')).toContain(root);
      else expect(() => builder.projectDir(id as 'prj_')).toThrow(/expected/);
      return;
    }
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
      for (let how = 0; how < 66; how += 1) await use(world, name, how);
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
          use(world, generated(random), random.below(66)).catch((error) => {
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

  it('a root directory of such a name is that very one, or is refused', async () => {
    const dir = tempDir();
    let made = 0;
    for (const name of LISTED) {
      // What leads elsewhere is the application's to say of a root: only names are tried.
      if (name.startsWith('/') || name.includes('..')) continue;
      const rootDir = join(dir, 'roots', `r${name}`);
      const store = new DiskSessionStore({ rootDir });
      const outcome = await store.createProject({ tenantId: ALPHA, name }, ALPHA).then(
        () => 'made',
        (error) => error.name,
      );
      expect(outcome, JSON.stringify(name)).toMatch(/^(made|InvalidArgumentError|StoreIoError)$/);
      if (outcome === 'made') made += 1;
      await store.close().catch(() => undefined);
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
