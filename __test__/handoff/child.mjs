/**
 * What the tests run in another process: `race`, `loop` or `recover`, over the
 * root, repository and ids that come as JSON.
 */

import {
  DiskSessionStore,
  executeBroadcastHandoff,
  executeSingleHandoff,
  GitWorktreeDriver,
  generateHandoffId,
  recoverHandoffs,
  WorkspaceBackendRegistry,
} from '../../index.mjs';

const [task, text] = process.argv.slice(2);
const { rootDir, repoRoot, tenant, project, source, handoffs = 0 } = JSON.parse(text);

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const store = new DiskSessionStore({ rootDir });
const workspaceRegistry = new WorkspaceBackendRegistry();
workspaceRegistry.register(new GitWorktreeDriver({ repoRoot, logger: silent }));
// As many and as deep as one likes.
const capacity = { async validateDepth() {}, async validateWidth() {} };
const deps = { store, workspaceRegistry, capacity, events: {} };

function assignment(version, changes = {}) {
  return {
    id: generateHandoffId(),
    mode: 'single',
    sourceSessionId: source,
    tenantId: tenant,
    projectId: project,
    sourceActor: { kind: 'user', userId: 'usr_a', tenantId: tenant },
    recipientActor: { kind: 'user', userId: 'usr_b', tenantId: tenant },
    expectedOwnerVersion: version,
    createdAt: new Date(),
    ...changes,
  };
}

function broadcast(version) {
  return [0, 1, 2].map((n) =>
    assignment(version, {
      mode: 'broadcast',
      broadcastId: 'brc',
      recipientActor: { kind: 'user', userId: `usr_${n}`, tenantId: tenant },
    }),
  );
}

/** One handoff: a broadcast for every second number. */
function handOff(version, number) {
  return number % 2 === 0
    ? executeSingleHandoff(deps, assignment(version), tenant)
    : executeBroadcastHandoff(deps, broadcast(version), tenant);
}

const tasks = {
  /** Hands the session off many times at once, and says how that went. */
  async race() {
    const running = Array.from({ length: handoffs }, (_, n) => handOff(0, n));
    const settled = await Promise.allSettled(running);
    const names = settled.map(({ reason }) => reason?.name ?? 'won');
    const others = settled.filter(({ reason }) => reason && !/^Handoff/.test(reason.name));
    return { names, others: others.map(({ reason }) => String(reason?.stack)) };
  },

  /** Hands the session off again and again, until somebody ends the process. */
  async loop() {
    for (let n = 0; ; n++) {
      const session = await store.getSession(source, tenant);
      await handOff(session.ownerVersion, n);
      const after = await store.getSession(source, tenant);
      if (after.status !== 'idle') await store.updateSession({ ...after, status: 'idle' }, tenant);
    }
  },

  /** Recovers what others left. */
  recover: () => recoverHandoffs(deps, tenant),
};

process.stdout.write('ready\n');
const answer = await tasks[task]();
process.stdout.write(`${JSON.stringify(answer)}\n`);
