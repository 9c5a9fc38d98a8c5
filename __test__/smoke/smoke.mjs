// What must work on every runtime, in plain JavaScript: run it with Node.js, Bun or Deno in
// a project that has the package installed. Usage: smoke.mjs <empty folder>
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import * as namzu from 'namzu-native';

const [folder] = process.argv.slice(2);
const TENANT = 'tnt_smoke';
const USER = { kind: 'user', userId: 'usr_ada', tenantId: TENANT };
const AGENT = { kind: 'agent', agentId: 'agt_writer', tenantId: TENANT };
const said = (content) => ({ role: 'user', content });

let roots = 0;
function newRoot() {
  roots += 1;
  return join(folder, `root-${roots}`);
}

async function world(store) {
  const project = await store.createProject({ tenantId: TENANT, name: 'Smoke' }, TENANT);
  const session = await store.createSession({ projectId: project.id, currentActor: USER }, TENANT);
  return { project, session };
}

const disk = () => new namzu.DiskSessionStore({ rootDir: newRoot() });

const CHECKS = {
  async 'import and require give one set of classes'() {
    const required = createRequire(import.meta.url)('namzu-native');
    assert.equal(required.DiskSessionStore, namzu.DiskSessionStore);
    assert.equal(required.TenantIsolationError, namzu.TenantIsolationError);
  },

  async 'records come back, dates as dates'() {
    for (const store of [disk(), new namzu.InMemorySessionStore()]) {
      const { project, session } = await world(store);
      assert.deepEqual(await store.getProject(project.id, TENANT), project);
      assert.deepEqual(await store.getSession(session.id, TENANT), session);
      assert.ok(session.createdAt instanceof Date);
    }
  },

  async 'messages come back as they went in'() {
    const store = disk();
    const { session } = await world(store);
    const messages = ['', 'a\0b', '👩‍👩‍👧‍👦 東京', 'a\ud83d', 'x'.repeat(2 ** 20)].map(said);
    for (const message of messages) await store.appendMessage(session.id, message, TENANT);
    assert.deepEqual(await store.loadMessages(session.id, TENANT), messages);
    const streamed = [];
    for await (const { message } of store.streamMessages(session.id, TENANT)) {
      streamed.push(message);
    }
    assert.deepEqual(streamed, messages);
  },

  async 'errors are classes with details, and lead to the caller'() {
    const store = disk();
    const { session } = await world(store);
    async function caller() {
      await store.getSession(session.id, 'tnt_other');
    }
    const error = await caller().catch((reason) => reason);
    assert.ok(error instanceof namzu.TenantIsolationError);
    assert.ok(error instanceof Error);
    assert.equal(error.details.resource, `session(${session.id})`);
    assert.match(error.stack, /smoke\.mjs/);
  },

  async 'one of many compare-and-set updates wins'() {
    const store = disk();
    const { session } = await world(store);
    const next = { ...session, ownerVersion: 1 };
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, () => store.updateSession(next, TENANT, 0)),
    );
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
  },

  async "a handoff goes through the application's own driver and listener"() {
    const store = disk();
    const { project, session } = await world(store);
    const committed = [];
    const driver = {
      kind: 'git-worktree',
      async create({ label }) {
        const meta = { backend: 'git-worktree', repoRoot: '/', branch: label, worktreePath: '/' };
        return { id: 'wsp_own', meta, createdAt: new Date() };
      },
      async dispose() {},
    };
    const workspaceRegistry = new namzu.WorkspaceBackendRegistry();
    workspaceRegistry.register(driver);
    const outcome = await namzu.executeSingleHandoff(
      {
        store,
        workspaceRegistry,
        capacity: new namzu.DefaultCapacityValidator(store),
        events: { onCommitted: (event) => committed.push(event) },
      },
      {
        id: namzu.generateHandoffId(),
        mode: 'single',
        sourceSessionId: session.id,
        tenantId: TENANT,
        projectId: project.id,
        sourceActor: USER,
        recipientActor: AGENT,
        expectedOwnerVersion: 0,
        createdAt: new Date(),
      },
      TENANT,
    );
    assert.equal(outcome.workspaceId, 'wsp_own');
    assert.equal(committed.length, 1);
    assert.deepEqual((await store.getSession(session.id, TENANT)).currentActor, AGENT);
  },

  async 'what a plug-in throws reaches the caller as the same object'() {
    const mine = { any: 'thing' };
    const materializer = new namzu.SessionSummaryMaterializer({
      store: { getSession: () => Promise.reject(mine) },
      generateSummaryId: namzu.generateSummaryId,
    });
    const call = materializer.materialize({
      sessionId: 'ses_x',
      tenantId: TENANT,
      finalOutcome: { status: 'succeeded' },
      agentSummary: '',
      declaredDeliverables: [],
      keyDecisions: [],
    });
    assert.equal(await call.catch((reason) => reason), mine);
  },

  async 'archiving and restoring keep the messages'() {
    const store = disk();
    const { project, session } = await world(store);
    const child = await store.createSession({ projectId: project.id, currentActor: null }, TENANT);
    await store.appendMessage(child.id, said('archived'), TENANT);
    const edge = await store.createSubSession(
      {
        parentSessionId: session.id,
        childSessionId: child.id,
        kind: 'agent_spawn',
        spawnedBy: USER,
      },
      TENANT,
    );
    await store.updateSubSession({ ...edge, status: 'idle' }, TENANT);
    const manager = new namzu.ArchivalManager({
      sessionStore: store,
      workspaceRegistry: new namzu.WorkspaceBackendRegistry(),
      archiveBackend: new namzu.DiskArchiveBackend({ rootDir: newRoot() }),
    });
    await manager.archive(edge.id, TENANT, { evict: true });
    await manager.restore(edge.id, TENANT);
    assert.deepEqual(await store.loadMessages(child.id, TENANT), [said('archived')]);
  },

  async 'a store shows its class, root and state, and closes'() {
    const store = disk();
    await world(store);
    assert.match(inspect(store), /^DiskSessionStore \{/);
    assert.match(inspect(store), /state: 'open'/);
    await store.close();
    assert.match(inspect(store), /state: 'closed'/);
    await assert.rejects(world(store), namzu.StoreClosedError);
  },

  async 'a worker thread and this one share a root'() {
    const rootDir = newRoot();
    const store = new namzu.DiskSessionStore({ rootDir });
    const { session } = await world(store);
    const worker = new Worker(new URL('./smoke-worker.mjs', import.meta.url), {
      workerData: { rootDir, session: session.id, tenant: TENANT },
    });
    await new Promise((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
    });
    await worker.terminate();
    assert.deepEqual(await store.loadMessages(session.id, TENANT), [said('from the worker')]);
  },

  async 'another process reads what this one wrote, and ends by itself'() {
    const rootDir = newRoot();
    const store = new namzu.DiskSessionStore({ rootDir });
    const { session } = await world(store);
    await store.appendMessage(session.id, said('from here'), TENANT);
    const reader = new URL('./smoke-reader.mjs', import.meta.url).pathname;
    const run = globalThis.Deno === undefined ? [] : ['run', '--allow-all'];
    const args = [...run, reader, rootDir, session.id, TENANT];
    const read = execFileSync(process.execPath, args, { encoding: 'utf8' });
    assert.deepEqual(JSON.parse(read), [said('from here')]);
  },
};

const failed = [];
for (const [name, check] of Object.entries(CHECKS)) {
  try {
    await check();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed.push(name);
    console.log(`FAILED  ${name}\n${error?.stack ?? error}`);
  }
}
console.log(`${Object.keys(CHECKS).length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
