import type { DeliverableRef, Session, SubSession } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejection } from './support/rejection.mjs';
import { SESSION_STATUSES, SUB_SESSION_STATUSES } from './support/unions.mjs';
import { ALPHA, agentOf, UNKNOWN_SESSION, userOf, World } from './support/world.mjs';

const DELIVERABLES: readonly DeliverableRef[] = [
  { kind: 'file', id: 'del_1', path: '../out/a b.pdf', contentHash: 'ff', sizeBytes: 2 ** 53 },
  {
    kind: 'session_summary',
    id: 'del_2',
    sessionId: 'ses_x',
    summaryRef: 'sum_x',
    at: new Date('2026-04-02T08:00:00.001Z'),
  },
  { kind: 'message', id: 'del_3', sessionId: 'ses_x', runId: 'run_x', messageId: 'any text' },
  { kind: 'artifact_blob', id: 'del_4', storageRef: 'blob://42' },
  { kind: 'artifact_blob', id: 'del_5', storageRef: '', mediaType: 'application/json' },
];

const EVERY_OPTIONAL_FIELD = {
  prevArtifactRef: DELIVERABLES[1] as DeliverableRef,
  broadcastGroupId: 'group/7',
  summaryRef: 'sum_1',
  archiveRef: 'arc_1',
  archivedAt: new Date('2026-05-06T07:08:09.010Z'),
} as const;

const OPTIONAL_FIELDS = Object.keys(EVERY_OPTIONAL_FIELD) as (keyof typeof EVERY_OPTIONAL_FIELD)[];

export function describeUpdates(factory: SingleStoreFactory): void {
  describe('updateSession', () => {
    it('resolves to undefined', async () => {
      const world = await World.in(await factory());
      expect(await world.store.updateSession(await world.session(), ALPHA)).toBeUndefined();
    });

    it('moves a session to another project of the tenant', async () => {
      const world = await World.in(await factory());
      const other = await World.in(world.store);
      const session = await world.session();
      const moved = await world.changeSession(session, { projectId: other.project.id });
      expect(moved).toStrictEqual({
        ...session,
        projectId: other.project.id,
        updatedAt: moved.updatedAt,
      });
      const view = await world.store.drill(session.id, ALPHA);
      expect(view?.session).toStrictEqual(moved);
      const back = await world.changeSession(moved, { projectId: world.project.id });
      expect(back.projectId).toBe(world.project.id);
    });

    it('replaces every field and stamps updatedAt', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const payload: Session = {
        ...session,
        status: 'locked',
        currentActor: agentOf(ALPHA),
        previousActors: [userOf(ALPHA), agentOf(ALPHA)],
        workspaceId: 'wsp_42',
        ownerVersion: 12,
        createdAt: new Date('2020-02-03T04:05:06.007Z'),
        updatedAt: new Date(0),
      };
      const before = Date.now();
      const stored = await world.changeSession(session, payload);
      expect(stored).toStrictEqual({ ...payload, updatedAt: expect.any(Date) });
      expect(stored.updatedAt.getTime()).toBeGreaterThanOrEqual(before);
      expect(stored.updatedAt.getTime()).toBeLessThanOrEqual(Date.now());
    });

    it.each(SESSION_STATUSES)('keeps the status %s', async (status) => {
      const world = await World.in(await factory());
      expect((await world.changeSession(await world.session(), { status })).status).toBe(status);
    });

    it('clears the actor and the workspace', async () => {
      const world = await World.in(await factory());
      const busy = await world.changeSession(await world.session(), { workspaceId: 'wsp_1' });
      const idle = await world.changeSession(busy, { workspaceId: null, currentActor: null });
      expect(idle).toMatchObject({ workspaceId: null, currentActor: null });
    });

    it('refuses a session that is not there', async () => {
      const world = await World.in(await factory());
      const session = { ...(await world.session()), id: UNKNOWN_SESSION };
      for (const expected of [undefined, 0]) {
        const error = await rejection(world.store.updateSession(session, ALPHA, expected));
        expect(error.message).toContain(UNKNOWN_SESSION);
        expect(error.message).toContain('not found');
      }
      expect(await world.store.getSession(UNKNOWN_SESSION, ALPHA)).toBeNull();
    });
  });

  describe('updateSubSession', () => {
    it('resolves to undefined', async () => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      expect(await world.store.updateSubSession(edge, ALPHA)).toBeUndefined();
    });

    it('replaces every field, optional ones included, and stamps updatedAt', async () => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      const payload: SubSession = {
        ...edge,
        kind: 'intervention',
        status: 'merge_conflict',
        spawnedBy: agentOf(ALPHA),
        spawnedAt: new Date('2020-02-03T04:05:06.007Z'),
        failureMode: 'fail_fast',
        completionMode: 'merge_back',
        workspaceId: 'wsp_42',
        ...EVERY_OPTIONAL_FIELD,
        updatedAt: new Date(0),
      };
      const before = Date.now();
      const stored = await world.change(edge, payload);
      expect(stored).toStrictEqual({ ...payload, updatedAt: expect.any(Date) });
      expect(stored.updatedAt.getTime()).toBeGreaterThanOrEqual(before);
      expect(stored.updatedAt.getTime()).toBeLessThanOrEqual(Date.now());
      expect(await world.store.getChildren(edge.parentSessionId, ALPHA)).toStrictEqual([stored]);
    });

    it.each(SUB_SESSION_STATUSES)('keeps the status %s', async (status) => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      expect((await world.change(edge, { status })).status).toBe(status);
    });

    it.each(DELIVERABLES)('keeps the deliverable $kind $id, its date as a Date', async (ref) => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      const stored = await world.change(edge, { prevArtifactRef: ref });
      expect(stored.prevArtifactRef).toStrictEqual(ref);
    });

    it.each(OPTIONAL_FIELDS)('clears %s when the payload does not have it', async (field) => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      const full = await world.change(edge, EVERY_OPTIONAL_FIELD);
      const { [field]: _, ...rest } = full;
      await world.store.updateSubSession(rest as SubSession, ALPHA);
      const stored = await world.store.getSubSession(edge.id, ALPHA);
      expect(stored).toStrictEqual({ ...rest, updatedAt: expect.any(Date) });
    });

    it.each(OPTIONAL_FIELDS)('clears %s when it is undefined in the payload', async (field) => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      const full = await world.change(edge, EVERY_OPTIONAL_FIELD);
      await world.store.updateSubSession({ ...full, [field]: undefined }, ALPHA);
      const stored = await world.store.getSubSession(edge.id, ALPHA);
      expect(stored).not.toHaveProperty(field);
      const { [field]: _, ...rest } = full;
      expect(stored).toStrictEqual({ ...rest, updatedAt: expect.any(Date) });
    });

    it('refuses an edge that is not there', async () => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      const error = await rejection(
        world.store.updateSubSession({ ...edge, id: 'sub_nobodyknows1' }, ALPHA),
      );
      expect(error.message).toContain('sub_nobodyknows1');
      expect(error.message).toContain('not found');
      expect(await world.store.getSubSession('sub_nobodyknows1', ALPHA)).toBeNull();
    });
  });
}
