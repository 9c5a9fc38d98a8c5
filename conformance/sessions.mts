import type { ActorRef } from 'namzu-native';
import { StaleSessionError, TenantIsolationError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejection, rejectionOf } from './support/rejection.mjs';
import { ALPHA, agentOf, BETA, UNKNOWN_SESSION, userOf, World } from './support/world.mjs';

const ACTORS: readonly (ActorRef | null)[] = [
  null,
  userOf(ALPHA),
  agentOf(ALPHA),
  { kind: 'agent', agentId: 'agt_alone', tenantId: ALPHA },
  { kind: 'agent', agentId: 'agt_a', tenantId: ALPHA, parentActor: agentOf(ALPHA) },
  { kind: 'system', role: 'sys_reviewer', tenantId: ALPHA },
  { kind: 'user', userId: '../not/a path' as 'usr_', tenantId: 'somebody else' as 'tnt_' },
];

export function describeSessions(factory: SingleStoreFactory): void {
  describe('sessions', () => {
    it('creates an idle session of version 0 with equal dates', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      expect(session).toStrictEqual({
        id: expect.stringMatching(/^ses_[0-9a-z]{12}$/),
        projectId: world.project.id,
        tenantId: ALPHA,
        status: 'idle',
        currentActor: userOf(ALPHA),
        previousActors: [],
        workspaceId: null,
        ownerVersion: 0,
        createdAt: expect.any(Date),
        updatedAt: session.createdAt,
      });
    });

    it('reads a session back as it was created', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
    });

    it.each(ACTORS)('keeps the actor %j', async (actor) => {
      const world = await World.in(await factory());
      const session = await world.session(actor);
      expect(session.currentActor).toStrictEqual(actor);
      expect((await world.store.getSession(session.id, ALPHA))?.currentActor).toStrictEqual(actor);
    });

    it('answers null for a session that is not there', async () => {
      const store = await factory();
      expect(await store.getSession(UNKNOWN_SESSION, ALPHA)).toBeNull();
    });

    it('refuses a session in a project that is not there, naming the project', async () => {
      const store = await factory();
      const error = await rejection(
        store.createSession({ projectId: 'prj_nobodyknows1', currentActor: null }, ALPHA),
      );
      expect(error.message).toContain('prj_nobodyknows1');
      expect(error.message).toContain('not found');
    });

    it("refuses a session in another tenant's project", async () => {
      const world = await World.in(await factory());
      const error = await rejectionOf(
        world.store.createSession({ projectId: world.project.id, currentActor: null }, BETA),
        TenantIsolationError,
      );
      expect(error.details).toStrictEqual({
        requested: BETA,
        resource: `project(${world.project.id})`,
      });
    });
  });

  describe('compare-and-set of the owner version', () => {
    it('updates when the stored version is the expected one, whatever the payload says', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      await world.store.updateSession({ ...session, ownerVersion: 7 }, ALPHA, 0);
      expect((await world.store.getSession(session.id, ALPHA))?.ownerVersion).toBe(7);
      await world.store.updateSession({ ...session, ownerVersion: 2 }, ALPHA, 7);
      expect((await world.store.getSession(session.id, ALPHA))?.ownerVersion).toBe(2);
    });

    it('refuses another version with both of them, and changes nothing', async () => {
      const world = await World.in(await factory());
      const session = await world.changeSession(await world.session(), { ownerVersion: 3 });
      const error = await rejectionOf(
        world.store.updateSession({ ...session, status: 'locked', ownerVersion: 9 }, ALPHA, 9),
        StaleSessionError,
      );
      expect(error.details).toStrictEqual({
        sessionId: session.id,
        expectedVersion: 9,
        actualVersion: 3,
      });
      expect(error.message).toContain(session.id);
      expect(error.message).toContain('9');
      expect(error.message).toContain('3');
      expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
    });

    it('does not compare without an expected version', async () => {
      const world = await World.in(await factory());
      const session = await world.changeSession(await world.session(), { ownerVersion: 3 });
      await world.store.updateSession({ ...session, ownerVersion: 0 }, ALPHA);
      await world.store.updateSession({ ...session, ownerVersion: 8 }, ALPHA, undefined);
      expect((await world.store.getSession(session.id, ALPHA))?.ownerVersion).toBe(8);
    });

    it('is not moved by messages, edges or summaries', async () => {
      const world = await World.in(await factory());
      const [session, child] = await world.sessions(2);
      if (!session || !child) throw new Error('no sessions');
      await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
      await world.edge(session, child);
      await world.store.recordSummary(world.summary(session), ALPHA);
      expect((await world.store.getSession(session.id, ALPHA))?.ownerVersion).toBe(0);
    });
  });
}
