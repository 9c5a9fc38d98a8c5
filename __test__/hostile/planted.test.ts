import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  ArchivalManager,
  DefaultCapacityValidator,
  DiskArchiveBackend,
  DiskSessionStore,
  NOOP_HANDOFF_SINK,
  recoverHandoffs,
  type Session,
  verify,
  WorkspaceBackendRegistry,
  type WorkspaceRef,
} from 'namzu-native';
import { beforeAll, describe, expect, it } from 'vitest';
import { FakeDriver } from '../handoff/fixtures.js';
import { leaveIntent } from '../support/intents.js';
import { sessionDir, summaryFile } from '../support/paths.js';
import { editRecord, writeText } from '../support/tree.js';
import { ALPHA, userOf, World } from '../support/world.js';
import {
  answerOf,
  canPlant,
  copyBeyond,
  expectNothingBeyond,
  INSIDE,
  OUTSIDE,
  plantedRoots,
  plants,
  stateOf,
} from './plants.js';

const said = { role: 'user', content: INSIDE } as const;

/** Errors that a store may answer when what it opens is not what it should be. */
const TYPED = [
  'StoreIoError',
  'CorruptRecordError',
  'NotFoundError',
  'AttachedSubSessionsError',
  'ArchiveNotFoundError',
  'SubSessionNotArchivableError',
  'SubSessionNotArchivedError',
  'SessionEvictedError',
];
/** What the contract leaves without a class of its own. */
const UNTYPED = /^(Project|Session|Sub-session) \w+ not found$|attached sub-sessions/;

type Ids = Awaited<ReturnType<typeof fill>>;

const WORKSPACE: WorkspaceRef = {
  id: 'wsp_a',
  meta: { backend: 'git-worktree', repoRoot: INSIDE, branch: INSIDE, worktreePath: INSIDE },
  createdAt: new Date(),
};

/** A root with everything that there can be in one, what dead processes left included. */
async function fill(root: string) {
  const store = new DiskSessionStore({ rootDir: root });
  const world = await World.in(store);
  const session = (): Promise<Session> => world.session();
  const [parent, child, archived, loose] = [
    await session(),
    await session(),
    await session(),
    await session(),
  ];
  const [evicted, source] = [await session(), await session()];
  for (const { id } of [child, archived, loose]) await store.appendMessage(id, said, ALPHA);
  await store.recordSummary(world.summary(child, { agentSummary: INSIDE }), ALPHA);
  const edge = await world.change(await world.edge(parent, child), { status: 'idle' });
  const archivedEdge = await world.change(await world.edge(parent, archived), { status: 'idle' });
  const { archiveRef } = await manager(root, store).archive(archivedEdge.id, ALPHA);

  await store.appendMessage(evicted.id, { role: 'user', content: 'first' }, ALPHA);
  await store.replaceMessages(evicted.id, [said], ALPHA);
  await store.recordSummary(world.summary(evicted, { agentSummary: INSIDE }), ALPHA);
  await new DiskSessionStore({ rootDir: root }).close();
  await editRecord(root, summaryFile(evicted), { keptToo: INSIDE });
  const evictedEdge = await world.change(await world.edge(parent, evicted), {
    status: 'idle',
    workspaceId: WORKSPACE.id,
  });
  const full = await manager(root, store).archive(evictedEdge.id, ALPHA, { evict: true });
  await store.updateSession({ ...source, status: 'locked' }, ALPHA);
  await writeText(root, `${sessionDir(loose)}/runs/run_1/run.json`, INSIDE);
  await store.close();

  await leaveIntent(root, source, ALPHA, INSIDE);
  await writeText(root, '.store/index.tmp', INSIDE);
  await writeText(root, '.store/trash/9.0/runs/run_1', INSIDE);
  await writeText(root, '.store/trash/9.1', INSIDE);
  await writeText(root, `.store/salvage/${loose.id}.5`, INSIDE);
  await writeText(root, `archive/${full.archiveRef}.5.tmp`, INSIDE);
  return {
    project: world.project,
    parent,
    child,
    loose,
    source,
    evicted,
    edge,
    archivedEdge,
    evictedEdge,
    bundle: archiveRef,
    full: full.archiveRef,
  };
}

function manager(root: string, sessionStore: DiskSessionStore) {
  return new ArchivalManager({
    sessionStore,
    workspaceRegistry: new WorkspaceBackendRegistry(),
    archiveBackend: new DiskArchiveBackend({ rootDir: root }),
    workspaceResolver: async () => WORKSPACE,
  });
}

/** Everything that a program does with a root, one after the other; what was answered. */
async function everything(root: string, ids: Ids): Promise<string[]> {
  const store = new DiskSessionStore({ rootDir: root });
  const archival = manager(root, store);
  const backend = new DiskArchiveBackend({ rootDir: root });
  const workspaceRegistry = new WorkspaceBackendRegistry();
  workspaceRegistry.register(new FakeDriver());
  const capacity = new DefaultCapacityValidator(store);
  const deps = { store, workspaceRegistry, capacity, events: NOOP_HANDOFF_SINK };
  const { project, parent, child, loose, evicted, edge, archivedEdge, evictedEdge } = ids;
  const spawned = {
    parentSessionId: parent.id,
    childSessionId: child.id,
    kind: 'agent_spawn',
    spawnedBy: userOf(ALPHA),
  } as const;
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
    ['recoverHandoffs', () => recoverHandoffs(deps, ALPHA)],
    ['updateProject', () => store.updateProject(project.id, { maxDelegationDepth: 5 }, ALPHA)],
    ['appendMessage', () => store.appendMessage(child.id, said, ALPHA)],
    ['updateSession', () => store.updateSession(child, ALPHA)],
    ['updateSubSession', () => store.updateSubSession({ ...edge, status: 'idle' }, ALPHA)],
    [
      'createSession',
      () => store.createSession({ projectId: project.id, currentActor: null }, ALPHA),
    ],
    ['createSubSession', () => store.createSubSession(spawned, ALPHA)],
    ['ofEvicted', () => store.loadMessages(evicted.id, ALPHA)],
    ['bundle', () => backend.restore(ids.full)],
    ['restore', () => archival.restore(archivedEdge.id, ALPHA)],
    ['restoreEvicted', () => archival.restore(evictedEdge.id, ALPHA)],
    ['restored', () => store.loadMessages(evicted.id, ALPHA)],
    ['summaryOfIt', () => store.getSummary(evicted.id, ALPHA)],
    ['archive', () => archival.archive(edge.id, ALPHA, { evict: true })],
    ['verifyBundles', () => backend.verify()],
    ['removeBundle', () => backend.remove(ids.full)],
    ['deleteSession', () => store.deleteSession(loose.id, ALPHA)],
    ['close', () => store.close()],
    ['reopened', () => new DiskSessionStore({ rootDir: root }).loadMessages(child.id, ALPHA)],
    ['verifyAgain', () => verify(root)],
  ];
  const answers: string[] = [];
  for (const [name, call] of calls) answers.push(await answerOf(name, call, TYPED, UNTYPED));
  return answers;
}

/** Each file and folder that a store, an archive and the engine open. */
const OPENED = [
  '.store',
  '.store/lock',
  '.store/frames',
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

/** What is opened like others, or only looked at, cleared away and taken back. */
const OPENED_TOO = [
  '.store/intents',
  '.store/intents/<source>.json',
  '.store/intents/more/',
  '.store/index.tmp',
  '.store/trash/9.0',
  '.store/trash/9.0/runs',
  '.store/trash/9.0/runs/run_1',
  '.store/trash/9.1',
  '.store/salvage/<loose>.5',
  '.store/salvage/<loose>.6/',
  'projects/<project>/sessions/<evicted>/evicted.json',
  'projects/<project>/sessions/<loose>/runs',
  'projects/<project>/sessions/<loose>/runs/run_1',
  'projects/<project>/sessions/<loose>/runs/run_1/run.json',
  'archive/<full>/archive.json',
  'archive/<full>/messages.jsonl',
  'archive/<full>/summary.json',
  'archive/<full>/workspace.json',
  'archive/<full>/original-messages.jsonl',
  'archive/<full>/original-summary.json',
  'archive/<full>/archive.json.<pid>.tmp',
  'archive/<full>/more/',
  'archive/<full>.5.tmp',
] as const;

describe.runIf(canPlant)('planted in a root', () => {
  const roots = plantedRoots();
  const { model, beyond, root, renew } = roots;
  let ids: Ids;
  let before: string[];
  beforeAll(async () => {
    ids = await fill(model);
    copyBeyond(model, beyond);
    before = stateOf(beyond);
  });

  const pathOf = (template: string) => {
    const names: Record<string, string> = {
      project: ids.project.id,
      parent: ids.parent.id,
      child: ids.child.id,
      loose: ids.loose.id,
      source: ids.source.id,
      evicted: ids.evicted.id,
      edge: ids.edge.id,
      bundle: ids.bundle,
      full: ids.full,
      pid: String(process.pid),
    };
    return template.replace(/<(\w+)>/g, (_, name: string) => names[name] as string);
  };

  it('nothing: everything is answered', async () => {
    renew();
    const answers = await everything(root, ids);
    expect(answers.filter((answer) => /^\w+: \w*Error: /.test(answer))).toStrictEqual([]);
    const saying = answers.filter((answer) => answer.includes(INSIDE)).map((a) => a.split(':')[0]);
    for (const name of ['loadMessages', 'recoverHandoffs', 'bundle', 'restored', 'summaryOfIt']) {
      expect(saying).toContain(name);
    }
    expect(readdirSync(join(root, 'archive'))).not.toContain(ids.full);
  });

  it('and what lies beyond would be believed, if it were read', async () => {
    renew(beyond);
    const answers = await everything(root, ids);
    for (const name of ['loadMessages', 'recoverHandoffs', 'bundle', 'restored', 'summaryOfIt']) {
      expect(answers.find((answer) => answer.startsWith(`${name}:`))).toContain(OUTSIDE);
    }
  });

  const cases = [
    ...plants().flatMap(([what, plant]) => OPENED.map((place) => [what, place, plant] as const)),
    ...plants(true).flatMap(([what, plant]) =>
      OPENED_TOO.map((place) => [what, place, plant] as const),
    ),
  ];
  it.each(cases)(
    '%s at %s: nothing beyond is read or written, nothing waits',
    (_what, place, plant) =>
      expectNothingBeyond(roots, before, [pathOf(place), plant], (at) => everything(at, ids)),
  );
});
