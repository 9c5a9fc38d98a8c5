// Reads and changes what a root has of JSON, and says how each call went, and by how much the most
// memory that the process ever took has grown meanwhile, in MiB.
// Usage: read-everything.mjs <root> <ids as JSON>
import process from 'node:process';
import {
  ArchivalManager,
  DefaultCapacityValidator,
  DiskArchiveBackend,
  DiskSessionStore,
  NOOP_HANDOFF_SINK,
  recoverHandoffs,
  verify,
  WorkspaceBackendRegistry,
} from 'namzu-native';

const [, , rootDir, text] = process.argv;
const { tenant, project, session, edge, evicted, evictedEdge } = JSON.parse(text);
const store = new DiskSessionStore({ rootDir });
const backend = new DiskArchiveBackend({ rootDir });
const workspaceRegistry = new WorkspaceBackendRegistry();
const manager = new ArchivalManager({
  sessionStore: store,
  workspaceRegistry,
  archiveBackend: backend,
});
const capacity = new DefaultCapacityValidator(store);
const deps = { store, workspaceRegistry, capacity, events: NOOP_HANDOFF_SINK };

await store.getProject('prj_nobody', tenant);
const before = process.resourceUsage().maxRSS;
const calls = {
  getProject: () => store.getProject(project, tenant),
  updateProject: () => store.updateProject(project, { maxDelegationDepth: 7 }, tenant),
  getSession: () => store.getSession(session, tenant),
  updateSession: async () => {
    await store.updateSession(
      { ...(await store.getSession(session, tenant)), status: 'active' },
      tenant,
    );
  },
  loadMessages: () => store.loadMessages(session, tenant),
  getSummary: () => store.getSummary(session, tenant),
  getSubSession: () => store.getSubSession(edge, tenant),
  updateSubSession: async () => {
    await store.updateSubSession(
      { ...(await store.getSubSession(edge, tenant)), status: 'idle' },
      tenant,
    );
  },
  drill: () => store.drill(session, tenant),
  ofEvicted: () => store.loadMessages(evicted, tenant),
  recoverHandoffs: () => recoverHandoffs(deps, tenant),
  verifyBundles: () => backend.verify(),
  restore: () => manager.restore(evictedEdge, tenant),
  restored: () => store.loadMessages(evicted, tenant),
  close: () => store.close(),
  verify: () => verify(rootDir),
};
const answers = {};
for (const [name, call] of Object.entries(calls)) {
  const answer = call().then(
    () => 'answered',
    (error) => error.name,
  );
  answers[name] = await answer;
}
const grown = (process.resourceUsage().maxRSS - before) / 1024;
const polluted = Object.keys(Object.prototype).length > 0 || {}.isAdmin !== undefined;
console.log(JSON.stringify({ answers, grown, polluted }));
