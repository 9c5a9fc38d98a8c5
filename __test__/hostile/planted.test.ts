import { execFileSync } from 'node:child_process';
import {
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  verify,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedTempDir } from '../support/temp-root.js';
import { bytesOf, namesBelow } from '../support/tree.js';
import { ALPHA, userOf, World } from '../support/world.js';

const INSIDE = 'said-inside';
const OUTSIDE = 'said-beyond';
const said = { role: 'user', content: INSIDE } as const;

/** Errors that a store may answer when what it opens is not what it should be. */
const TYPED = [
  'StoreIoError',
  'CorruptRecordError',
  'ArchiveNotFoundError',
  'SubSessionNotArchivableError',
  'SubSessionNotArchivedError',
  'SessionEvictedError',
  'Error',
];

type Ids = Awaited<ReturnType<typeof fill>>;

async function fill(root: string) {
  const store = new DiskSessionStore({ rootDir: root });
  const world = await World.in(store);
  const [parent, child] = [await world.session(), await world.session()];
  const [archived, loose] = [await world.session(), await world.session()];
  for (const { id } of [child, archived, loose]) await store.appendMessage(id, said, ALPHA);
  await store.recordSummary(world.summary(child, { agentSummary: INSIDE }), ALPHA);
  const edge = await world.change(await world.edge(parent, child), { status: 'idle' });
  const archivedEdge = await world.change(await world.edge(parent, archived), { status: 'idle' });
  await manager(root, store).archive(archivedEdge.id, ALPHA);
  await store.close();
  return { project: world.project, parent, child, loose, edge, archivedEdge };
}

function manager(root: string, sessionStore: DiskSessionStore) {
  return new ArchivalManager({
    sessionStore,
    workspaceRegistry: new WorkspaceBackendRegistry(),
    archiveBackend: new DiskArchiveBackend({ rootDir: root }),
  });
}

/** Everything that a program does with a root, one after the other; what was answered. */
async function everything(root: string, ids: Ids): Promise<string[]> {
  const store = new DiskSessionStore({ rootDir: root });
  const archival = manager(root, store);
  const { project, parent, child, loose, edge, archivedEdge } = ids;
  const calls: [string, () => Promise<unknown>][] = [
    ['verify', () => verify(root)],
    ['getProject', () => store.getProject(project.id, ALPHA)],
    ['listProjects', () => store.listProjects(ALPHA)],
    ['listSessions', () => store.listSessionsByProject(project.id, ALPHA)],
    ['getSession', () => store.getSession(child.id, ALPHA)],
    ['loadMessages', () => store.loadMessages(child.id, ALPHA)],
    ['countMessages', () => store.countMessages(child.id, ALPHA)],
    ['getChildren', () => store.getChildren(parent.id, ALPHA)],
    ['getAncestry', () => store.getAncestry(child.id, ALPHA)],
    ['drill', () => store.drill(parent.id, ALPHA)],
    ['getSummary', () => store.getSummary(child.id, ALPHA)],
    ['updateProject', () => store.updateProject(project.id, { maxDelegationDepth: 5 }, ALPHA)],
    ['appendMessage', () => store.appendMessage(child.id, said, ALPHA)],
    ['updateSession', () => store.updateSession(child, ALPHA)],
    ['updateSubSession', () => store.updateSubSession({ ...edge, status: 'idle' }, ALPHA)],
    [
      'createSession',
      () => store.createSession({ projectId: project.id, currentActor: null }, ALPHA),
    ],
    [
      'createSubSession',
      () =>
        store.createSubSession(
          {
            parentSessionId: parent.id,
            childSessionId: child.id,
            kind: 'agent_spawn',
            spawnedBy: userOf(ALPHA),
          },
          ALPHA,
        ),
    ],
    ['restore', () => archival.restore(archivedEdge.id, ALPHA)],
    ['archive', () => archival.archive(edge.id, ALPHA, { evict: true })],
    ['verifyBundles', () => new DiskArchiveBackend({ rootDir: root }).verify()],
    ['deleteSession', () => store.deleteSession(loose.id, ALPHA)],
    ['close', () => store.close()],
    ['reopened', () => new DiskSessionStore({ rootDir: root }).loadMessages(child.id, ALPHA)],
  ];
  const answers: string[] = [];
  for (const [name, call] of calls) {
    const answer = await Promise.race([
      call().then(
        (value) => JSON.stringify(value) ?? 'undefined',
        (error) => {
          expect(TYPED, `${name}: ${error}`).toContain(error.name);
          return `${error.name}: ${error.message} ${JSON.stringify(error.details)}`;
        },
      ),
      new Promise<never>((_, reject) =>
        setTimeout(() => reject(new Error(`${name} hangs`)), 10_000).unref(),
      ),
    ]);
    answers.push(`${name}: ${answer}`);
  }
  return answers;
}

/** What can be planted in place of a file or a folder; `undefined` where the machine cannot. */
const PLANTS: Record<string, (at: string, outside: string, wasDir: boolean) => unknown> = {
  'a link to its like outside': (at, outside) => symlinkSync(outside, at),
  'a relative link to its like outside': (at, outside) => {
    const up = '../'.repeat(dirname(at).split('/').length - 1);
    symlinkSync(`${up}${outside.slice(1)}`, at);
  },
  'a dangling link': (at, outside) => symlinkSync(`${outside}-new`, at),
  'a link to itself': (at) => symlinkSync(at, at),
  'a pipe': (at) => execFileSync('mkfifo', [at]),
  'a socket': (at) =>
    new Promise<void>((resolve) => {
      const server = createServer().listen(at.length < 100 ? at : `${dirname(at)}/s`, resolve);
      server.unref();
    }),
  'the endless device': (at) => execFileSync('mknod', [at, 'c', '1', '5'], { stdio: 'ignore' }),
  'the full device': (at) => execFileSync('mknod', [at, 'c', '1', '7'], { stdio: 'ignore' }),
  'another name of a file outside': (at, outside, wasDir) => {
    if (!wasDir) linkSync(outside, at);
    else mkdirSync(at);
  },
  'a folder or a file instead': (at, _, wasDir) =>
    wasDir ? writeFileSync(at, OUTSIDE) : mkdirSync(at),
};

/** Like another in all that the store does about it: for the full tier. */
const ALIKE = [
  'a relative link to its like outside',
  'a link to itself',
  'a socket',
  'the full device',
];
const isWanted = (name: string) =>
  (isRoot || !name.includes('device')) && (process.env.NAMZU_FULL || !ALIKE.includes(name));

const canPlant = process.platform !== 'win32';
const isRoot = process.getuid?.() === 0;

/** Each file and folder that a store, an archive and the engine open. */
const OPENED = [
  '.store',
  '.store/lock',
  '.store/journal',
  '.store/index',
  '.store/trash',
  '.store/salvage',
  'projects',
  'projects/<project>',
  'projects/<project>/project.json',
  'projects/<project>/sessions',
  'projects/<project>/sessions/<child>',
  'projects/<project>/sessions/<child>/session.json',
  'projects/<project>/sessions/<child>/messages.jsonl',
  'projects/<project>/sessions/<child>/summary.json',
  'projects/<project>/sessions/<child>/evicted.json',
  'projects/<project>/sessions/<child>/session.json.5.tmp',
  'projects/<project>/sessions/<parent>/subsessions',
  'projects/<project>/sessions/<parent>/subsessions/<edge>',
  'projects/<project>/sessions/<parent>/subsessions/<edge>/subsession.json',
  'projects/<project>/sessions/<loose>',
  'archive',
  'archive/<bundle>',
  'archive/<bundle>/archive.json',
  'archive/<bundle>/subsession.json',
  'archive/<bundle>/messages.jsonl',
] as const;

describe.runIf(canPlant)('planted in a root', () => {
  const dir = sharedTempDir();
  let ids: Ids;
  beforeAll(async () => {
    ids = await fill(join(dir, 'model'));
    // Beyond the root lies one like it, whose words are others.
    cpSync(join(dir, 'model'), join(dir, 'beyond'), { recursive: true });
    for (const name of await namesBelow(join(dir, 'beyond'))) {
      const path = join(dir, 'beyond', name);
      if (name.endsWith('/')) continue;
      const text = readFileSync(path, 'latin1').replaceAll(INSIDE, OUTSIDE);
      writeFileSync(path, text, 'latin1');
    }
  });

  const pathOf = (template: string) => {
    const [bundle = ''] = readdirSync(join(dir, 'model/archive'));
    const names: Record<string, string> = {
      project: ids.project.id,
      parent: ids.parent.id,
      child: ids.child.id,
      loose: ids.loose.id,
      edge: ids.edge.id,
      bundle,
    };
    return template.replace(/<(\w+)>/g, (_, name: string) => names[name] as string);
  };

  describe.each(Object.entries(PLANTS).filter(([name]) => isWanted(name)))('%s', (_, plant) => {
    it.each(OPENED)('%s: nothing beyond is read or written, nothing waits', async (template) => {
      const root = join(dir, 'root');
      rmSync(root, { recursive: true, force: true });
      cpSync(join(dir, 'model'), root, { recursive: true });
      const before = await bytesOf(dir, ['beyond']);
      const at = join(root, pathOf(template));
      const wasDir = lstatSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false;
      const beyond = join(dir, 'beyond', pathOf(template));
      const hasBeyond = lstatSync(beyond, { throwIfNoEntry: false }) !== undefined;
      rmSync(at, { recursive: true, force: true });
      mkdirSync(dirname(at), { recursive: true });
      await plant(at, hasBeyond ? beyond : join(dir, 'beyond/projects'), wasDir || !hasBeyond);
      // A file that has a name inside as well may be read by it.
      const shared = (lstatSync(at, { throwIfNoEntry: false })?.nlink ?? 0) > 1 && !wasDir;

      const answers = await everything(root, ids);
      if (!shared) expect(answers.join('\n')).not.toContain(OUTSIDE);
      expect(await bytesOf(dir, ['beyond'])).toStrictEqual(before);
      expect(readdirSync(dir).sort()).toStrictEqual(['beyond', 'model', 'root']);
    });
  });
});
