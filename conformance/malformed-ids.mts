import { InvalidIdError, type SessionId, type SubSessionId } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { malformedIds, oddIds } from './support/malformed-ids.mjs';
import { rejection, rejectionOf } from './support/rejection.mjs';
import { ALPHA, userOf, World } from './support/world.mjs';

interface Refusal {
  readonly kind: 'ProjectId' | 'SessionId' | 'SubSessionId';
  readonly prefix: 'prj_' | 'ses_' | 'sub_';
  readonly value: string;
}

async function expectInvalidId(promise: Promise<unknown>, refusal: Refusal): Promise<void> {
  const error = await rejectionOf(promise, InvalidIdError);
  const { kind, value } = refusal;
  expect(error.details).toStrictEqual({ kind, value, expected: expect.any(String) });
  expect(error.details.expected).toContain(refusal.prefix);
  expect(error.message).toContain(error.details.expected);
}

export function describeMalformedIds(factory: SingleStoreFactory): void {
  describe('malformed ids', () => {
    it.each(malformedIds('prj_'))('reads project %j as one that is not there', async (id) => {
      const store = await factory();
      expect(await store.getProject(id, ALPHA)).toBeNull();
    });

    it.each(malformedIds('ses_'))('reads session %j as one that is not there', async (id) => {
      const { store } = await World.in(await factory());
      expect(await store.getSession(id, ALPHA)).toBeNull();
      expect(await store.loadMessages(id, ALPHA)).toStrictEqual([]);
      expect(await store.loadSessionMessages(id, ALPHA)).toStrictEqual([]);
      expect(await store.getChildren(id, ALPHA)).toStrictEqual([]);
      expect(await store.getAncestry(id, ALPHA)).toStrictEqual([]);
      expect(await store.drill(id, ALPHA)).toBeNull();
      expect(await store.getSummary(id, ALPHA)).toBeNull();
      expect(await store.deleteSession(id, ALPHA)).toBeUndefined();
    });

    it.each(malformedIds('sub_'))('reads sub-session %j as one that is not there', async (id) => {
      const { store } = await World.in(await factory());
      expect(await store.getSubSession(id, ALPHA)).toBeNull();
      expect(await store.deleteSubSession(id, ALPHA)).toBeUndefined();
    });

    it.each(malformedIds('prj_'))('refuses to write to project %j', async (value) => {
      const store = await factory();
      await expectInvalidId(store.createSession({ projectId: value, currentActor: null }, ALPHA), {
        kind: 'ProjectId',
        prefix: 'prj_',
        value,
      });
    });

    it.each(malformedIds('ses_'))('refuses to write to session %j', async (value) => {
      const world = await World.in(await factory());
      const { store } = world;
      const session = await world.session();
      const bad = { ...session, id: value as SessionId };
      const ends = { parentSessionId: session.id, childSessionId: session.id };
      const create = { ...ends, kind: 'agent_spawn', spawnedBy: userOf(ALPHA) } as const;
      const refusal = { kind: 'SessionId', prefix: 'ses_', value } as const;

      await expectInvalidId(store.updateSession(bad, ALPHA), refusal);
      await expectInvalidId(
        store.appendMessage(value, { role: 'user', content: 'x' }, ALPHA),
        refusal,
      );
      await expectInvalidId(store.recordSummary(world.summary(bad), ALPHA), refusal);
      await expectInvalidId(
        store.createSubSession({ ...create, parentSessionId: value }, ALPHA),
        refusal,
      );
      await expectInvalidId(
        store.createSubSession({ ...create, childSessionId: value }, ALPHA),
        refusal,
      );
      expect(await store.drill(session.id, ALPHA)).toStrictEqual({
        session,
        children: [],
        ancestry: [session.id],
      });
    });

    it.each(malformedIds('ses_'))('refuses to hang an edge on session %j', async (value) => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      const refusal = { kind: 'SessionId', prefix: 'ses_', value } as const;
      await expectInvalidId(world.change(edge, { parentSessionId: value }), refusal);
      await expectInvalidId(world.change(edge, { childSessionId: value }), refusal);
      expect(await world.store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    });

    it.each(malformedIds('sub_'))('refuses to update sub-session %j', async (value) => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      await expectInvalidId(
        world.store.updateSubSession({ ...edge, id: value as SubSessionId }, ALPHA),
        { kind: 'SubSessionId', prefix: 'sub_', value },
      );
    });

    it('takes every well-formed id for one that may be there', async () => {
      const world = await World.in(await factory());
      const { store } = world;
      const session = await world.session();
      const edge = await world.edge(session, session);
      for (const id of oddIds('ses_')) {
        expect(await store.getSession(id, ALPHA)).toBeNull();
        const error = await rejection(store.updateSession({ ...session, id }, ALPHA));
        expect(error.message).toContain('not found');
      }
      for (const id of oddIds('sub_')) {
        const error = await rejection(store.updateSubSession({ ...edge, id }, ALPHA));
        expect(error.message).toContain('not found');
      }
      for (const projectId of oddIds('prj_')) {
        const error = await rejection(
          store.createSession({ projectId, currentActor: null }, ALPHA),
        );
        expect(error.message).toContain('not found');
      }
    });
  });

  describe('opaque ids', () => {
    it('are stored as they are, whatever they look like', async () => {
      const world = await World.in(await factory());
      const session = await world.session({
        kind: 'agent',
        agentId: '../research agent' as 'agt_',
        tenantId: 'T/1' as 'tnt_',
      });
      const edge = await world.change(await world.edge(session, session), {
        workspaceId: '../../workspace' as 'wsp_',
        broadcastGroupId: '../group',
        summaryRef: 'not a summary' as 'sum_',
        archiveRef: '../archive' as 'arc_',
      });
      expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
      expect(edge).toMatchObject({
        workspaceId: '../../workspace',
        broadcastGroupId: '../group',
        summaryRef: 'not a summary',
        archiveRef: '../archive',
      });
      const summary = world.summary(session, { id: '../../summary' as 'sum_' });
      await world.store.recordSummary(summary, ALPHA);
      expect(await world.store.getSummary(session.id, ALPHA)).toStrictEqual(summary);
    });
  });
}
