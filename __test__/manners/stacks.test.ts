import {
  ArchivalManager,
  DefaultCapacityValidator,
  type DiskArchiveBackend,
  DiskSessionStore,
  executeSingleHandoff,
  GitWorktreeDriver,
  getRootLogger,
  InMemorySessionStore,
  type SessionStore,
  SessionSummaryMaterializer,
  validatePrevArtifactChain,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejection } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, BETA, UNKNOWN_SESSION, userOf, World } from '../support/world.js';

const HERE = /stacks\.test\.ts:\d+/;

type Failing = (store: SessionStore) => Promise<unknown>;

/** Calls that fail, each of another part of the package. */
const FAILING: readonly { what: string; call: Failing }[] = [
  { what: 'a bad argument', call: (store) => store.getSession(42 as never, ALPHA) },
  {
    what: 'a write to what is not there',
    call: (store) => store.appendMessage(UNKNOWN_SESSION, { role: 'user', content: 'x' }, ALPHA),
  },
  {
    what: "another tenant's record",
    call: async (store) => {
      const { project } = await World.in(store);
      await store.getProject(project.id, BETA);
    },
  },
  {
    what: 'a handoff',
    call: async (store) => {
      const { id, projectId } = await (await World.in(store)).session();
      await executeSingleHandoff(
        {
          store,
          workspaceRegistry: new WorkspaceBackendRegistry(),
          capacity: new DefaultCapacityValidator(store),
          events: {},
        },
        {
          id: 'hof_x',
          mode: 'single',
          sourceSessionId: id,
          tenantId: ALPHA,
          projectId,
          sourceActor: userOf(ALPHA),
          recipientActor: userOf(ALPHA),
          expectedOwnerVersion: 7,
          createdAt: new Date(),
        },
        ALPHA,
      );
    },
  },
  {
    what: 'a summary',
    call: async (sessionStore) => {
      const materializer = new SessionSummaryMaterializer({
        store: sessionStore,
        generateSummaryId: () => 'sum_x',
      });
      await materializer.materialize({
        sessionId: UNKNOWN_SESSION,
        tenantId: ALPHA,
        finalOutcome: { status: 'succeeded' },
        agentSummary: 'x',
        declaredDeliverables: [],
        keyDecisions: [],
      });
    },
  },
  {
    what: 'archiving',
    call: async (sessionStore) => {
      const manager = new ArchivalManager({
        sessionStore,
        workspaceRegistry: new WorkspaceBackendRegistry(),
        archiveBackend: {} as DiskArchiveBackend,
      });
      await manager.archive('sub_unknown', ALPHA);
    },
  },
  {
    what: 'a chain of interventions',
    call: async () => {
      const loader = { loadAncestor: async () => null };
      const ancestor = {
        kind: 'session_summary',
        id: 'del_x',
        sessionId: UNKNOWN_SESSION,
        summaryRef: 'sum_x',
        at: new Date(),
      } as const;
      await validatePrevArtifactChain(loader, 'sub_x', ancestor, 0);
    },
  },
  {
    what: 'a workspace',
    call: async () => {
      const driver = new GitWorktreeDriver({ repoRoot: tempRoot(), logger: getRootLogger() });
      await driver.create({ label: '../x' });
    },
  },
];

const STORES = [
  { name: 'DiskSessionStore', open: () => new DiskSessionStore({ rootDir: tempRoot() }) },
  { name: 'InMemorySessionStore', open: () => new InMemorySessionStore() },
];

describe.each(STORES)('the stack of a rejection, with a $name', ({ open }) => {
  it.each(FAILING)("leads to the caller's own line: $what", async ({ call }) => {
    // The frame of a function that awaits the call, not that of whoever made it.
    async function caller() {
      await call(open());
    }
    const error = await rejection(caller());
    expect(error.stack?.split('\n')[0]).toContain(error.message.split('\n')[0]);
    expect(error.stack).toMatch(HERE);
    expect(error.stack).toMatch(/at (async )?caller \(/);
  });

  it('does so through Promise.all, Promise.allSettled and catch', async () => {
    const store = open();
    const fail = () => store.getSession(UNKNOWN_SESSION, '' as never);
    async function all() {
      await Promise.all([fail()]);
    }
    async function allSettled() {
      const [settled] = await Promise.allSettled([fail()]);
      throw (settled as PromiseRejectedResult).reason;
    }
    async function caught() {
      throw await fail().catch((error: unknown) => error);
    }
    for (const caller of [all, allSettled, caught]) {
      expect((await rejection(caller())).stack).toMatch(HERE);
    }
  });

  it('does so from a stream', async () => {
    const world = await World.in(open());
    const { id } = await world.session();
    async function reader() {
      const store = world.store as DiskSessionStore;
      for await (const message of store.streamMessages(id, BETA)) expect(message).toBeUndefined();
    }
    expect((await rejection(reader())).stack).toMatch(/at (async )?reader \(.*stacks\.test\.ts/);
  });
});
