import { type SessionStore, TenantIsolationError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejection, rejectionOf } from './support/rejection.mjs';
import { ALPHA, BETA, userOf, World } from './support/world.mjs';

type Ids = Awaited<ReturnType<typeof alphasRecords>>;

/** Records of ALPHA that BETA reaches for. */
async function alphasRecords(store: SessionStore) {
  const world = await World.in(store);
  const [session, child] = [await world.session(), await world.session()];
  await world.store.appendMessage(session.id, { role: 'user', content: 'secret' }, ALPHA);
  const edge = await world.edge(session, child);
  return { world, project: world.project, session, child, edge };
}

interface Reach {
  readonly method: keyof SessionStore;
  readonly call: (store: SessionStore, ids: Ids) => Promise<unknown>;
  readonly resource: (ids: Ids) => string;
}

const ofSession = ({ session }: Ids) => `session(${session.id})`;
const ofEdge = ({ edge }: Ids) => `sub-session(${edge.id})`;

const REACHES: readonly Reach[] = [
  {
    method: 'getProject',
    call: (store, { project }) => store.getProject(project.id, BETA),
    resource: ({ project }) => `project(${project.id})`,
  },
  {
    method: 'createSession',
    call: (store, { project }) =>
      store.createSession({ projectId: project.id, currentActor: userOf(BETA) }, BETA),
    resource: ({ project }) => `project(${project.id})`,
  },
  {
    method: 'getSession',
    call: (store, { session }) => store.getSession(session.id, BETA),
    resource: ofSession,
  },
  {
    method: 'updateSession',
    call: (store, { session }) =>
      store.updateSession({ ...session, tenantId: BETA, status: 'failed' }, BETA),
    resource: ofSession,
  },
  {
    method: 'deleteSession',
    call: (store, { session }) => store.deleteSession(session.id, BETA),
    resource: ofSession,
  },
  {
    method: 'createSubSession',
    call: (store, { session, child }) =>
      store.createSubSession(
        {
          parentSessionId: session.id,
          childSessionId: child.id,
          kind: 'agent_spawn',
          spawnedBy: userOf(BETA),
        },
        BETA,
      ),
    resource: ofSession,
  },
  {
    method: 'getSubSession',
    call: (store, { edge }) => store.getSubSession(edge.id, BETA),
    resource: ofEdge,
  },
  {
    method: 'updateSubSession',
    call: (store, { edge }) => store.updateSubSession({ ...edge, status: 'failed' }, BETA),
    resource: ofEdge,
  },
  {
    method: 'deleteSubSession',
    call: (store, { edge }) => store.deleteSubSession(edge.id, BETA),
    resource: ofEdge,
  },
  {
    method: 'appendMessage',
    call: (store, { session }) =>
      store.appendMessage(session.id, { role: 'user', content: 'theirs' }, BETA),
    resource: ofSession,
  },
  {
    method: 'loadMessages',
    call: (store, { session }) => store.loadMessages(session.id, BETA),
    resource: ofSession,
  },
  {
    method: 'loadSessionMessages',
    call: (store, { session }) => store.loadSessionMessages(session.id, BETA),
    resource: ofSession,
  },
  {
    method: 'getChildren',
    call: (store, { session }) => store.getChildren(session.id, BETA),
    resource: ofSession,
  },
  {
    method: 'getAncestry',
    call: (store, { session }) => store.getAncestry(session.id, BETA),
    resource: ofSession,
  },
  {
    method: 'drill',
    call: (store, { session }) => store.drill(session.id, BETA),
    resource: ofSession,
  },
];

export function describeTenancy(factory: SingleStoreFactory): void {
  describe('tenancy', () => {
    it.each(REACHES)("$method refuses another tenant's record", async ({ call, resource }) => {
      const store = await factory();
      const ids = await alphasRecords(store);
      const error = await rejectionOf(call(store, ids), TenantIsolationError);
      expect(error.details).toStrictEqual({ requested: BETA, resource: resource(ids) });
      expect(error.message).toContain(BETA);
      expect(error.message).toContain(resource(ids));
      expect(error.message, 'the owner is not revealed').not.toContain(ALPHA);
    });

    it('changes nothing when it refuses', async () => {
      const store = await factory();
      const ids = await alphasRecords(store);
      for (const { call } of REACHES) await rejection(call(store, ids));

      expect(await store.getSession(ids.session.id, ALPHA)).toStrictEqual(ids.session);
      expect(await store.getChildren(ids.session.id, ALPHA)).toStrictEqual([ids.edge]);
      expect(await store.loadMessages(ids.session.id, ALPHA)).toStrictEqual([
        { role: 'user', content: 'secret' },
      ]);
    });

    it("refuses a session payload of another tenant than the caller's", async () => {
      const store = await factory();
      const { session } = await alphasRecords(store);
      const error = await rejectionOf(
        store.updateSession({ ...session, tenantId: BETA }, ALPHA),
        TenantIsolationError,
      );
      expect(error.details).toStrictEqual({
        requested: ALPHA,
        resource: `session(${session.id}) payload`,
      });
      expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
    });

    it("refuses a summary payload of another tenant than the caller's", async () => {
      const store = await factory();
      const { world, session } = await alphasRecords(store);
      const summary = world.summary(session, { tenantId: BETA });
      const error = await rejectionOf(store.recordSummary(summary, ALPHA), TenantIsolationError);
      expect(error.details).toStrictEqual({
        requested: ALPHA,
        resource: `summary(${summary.id}) payload`,
      });
      expect(await store.getSummary(session.id, ALPHA)).toBeNull();
    });

    it("refuses to summarize another tenant's session", async () => {
      const store = await factory();
      const { world, session } = await alphasRecords(store);
      const summary = world.summary(session, { tenantId: BETA });
      const error = await rejectionOf(store.recordSummary(summary, BETA), TenantIsolationError);
      expect(error.details.requested).toBe(BETA);
      expect([`session(${session.id})`, `summary(${summary.id})`]).toContain(
        error.details.resource,
      );
      expect(await store.getSummary(session.id, ALPHA)).toBeNull();
      expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
    });

    it.each(['summarized', 'not summarized'])(
      "refuses the summary of another tenant's session that is %s",
      async (state) => {
        const store = await factory();
        const { world, session } = await alphasRecords(store);
        const summary = world.summary(session);
        if (state === 'summarized') await store.recordSummary(summary, ALPHA);
        const error = await rejectionOf(store.getSummary(session.id, BETA), TenantIsolationError);
        expect(error.details.requested).toBe(BETA);
        expect([`session(${session.id})`, `summary(${summary.id})`]).toContain(
          error.details.resource,
        );
        expect(error.message).not.toContain(ALPHA);
      },
    );

    it('compares tenants as they are: case, spaces and prefixes matter', async () => {
      const store = await factory();
      const { session } = await alphasRecords(store);
      for (const other of ['TNT_ALPHA', ' tnt_alpha', 'tnt_alpha ', 'tnt_alph', 'tnt_alpha\0']) {
        await rejectionOf(store.getSession(session.id, other as 'tnt_'), TenantIsolationError);
      }
    });
  });
}
