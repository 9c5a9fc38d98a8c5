import { SessionAlreadySummarizedError, type SessionSummaryRef } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejection, rejectionOf } from './support/rejection.mjs';
import { SESSION_STATUSES } from './support/unions.mjs';
import { ALPHA, UNKNOWN_SESSION, World } from './support/world.mjs';

/** The statuses that a summary ends. */
const ENDED = new Set(['active', 'locked', 'awaiting_merge']);

const FULL: Partial<SessionSummaryRef> = {
  outcome: { status: 'partial', verdict: '' },
  deliverables: [
    { id: 'del_1', kind: 'file', path: 'a/b.txt', contentHash: '0f', sizeBytes: 0 },
    {
      id: 'del_2',
      kind: 'session_summary',
      sessionId: 'ses_other',
      summaryRef: 'sum_other',
      at: new Date('2026-04-02T08:00:00.001Z'),
    },
    { id: 'del_3', kind: 'message', sessionId: 'ses_x', runId: 'run_x', messageId: 'any text' },
    { id: 'del_4', kind: 'artifact_blob', storageRef: 'blob://1', mediaType: 'text/plain' },
    { id: 'del_5', kind: 'artifact_blob', storageRef: 'blob://2' },
  ],
  agentSummary: 'Rebooked ✈ — "done"\n\0',
  keyDecisions: [
    { at: new Date('2026-04-02T07:59:00.123Z'), summary: 'later one first' },
    { at: new Date('2026-04-01T00:00:00.000Z'), summary: '' },
  ],
};

export function describeSummaries(factory: SingleStoreFactory): void {
  describe('summaries', () => {
    it('answers null before there is one and for a session that is not there', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      expect(await world.store.getSummary(session.id, ALPHA)).toBeNull();
      expect(await world.store.getSummary(UNKNOWN_SESSION, ALPHA)).toBeNull();
    });

    it('reads back what was recorded, dates as Dates', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const summary = world.summary(session, FULL);
      expect(await world.store.recordSummary(summary, ALPHA)).toBeUndefined();
      expect(await world.store.getSummary(session.id, ALPHA)).toStrictEqual(summary);
    });

    it.each(['succeeded', 'partial', 'failed'] as const)('keeps the outcome %s', async (status) => {
      const world = await World.in(await factory());
      const session = await world.session();
      await world.store.recordSummary(world.summary(session, { outcome: { status } }), ALPHA);
      const stored = await world.store.getSummary(session.id, ALPHA);
      expect(stored?.outcome).toStrictEqual({ status });
    });

    it('refuses a summary of a session that is not there', async () => {
      const world = await World.in(await factory());
      const session = { ...(await world.session()), id: UNKNOWN_SESSION };
      const error = await rejection(world.store.recordSummary(world.summary(session), ALPHA));
      expect(error.message).toContain(UNKNOWN_SESSION);
      expect(error.message).toContain('not found');
      expect(await world.store.getSummary(UNKNOWN_SESSION, ALPHA)).toBeNull();
    });

    it('refuses a second summary with both ids, and keeps the first', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const first = world.summary(session, { id: 'sum_first' });
      await world.store.recordSummary(first, ALPHA);
      const busy = await world.changeSession(session, { status: 'active' });

      const error = await rejectionOf(
        world.store.recordSummary(world.summary(session, { id: 'sum_second' }), ALPHA),
        SessionAlreadySummarizedError,
      );

      expect(error.details).toStrictEqual({
        sessionId: session.id,
        existingSummaryId: 'sum_first',
      });
      expect(error.message).toContain(session.id);
      expect(error.message).toContain('sum_first');
      expect(await world.store.getSummary(session.id, ALPHA)).toStrictEqual(first);
      expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(busy);
    });

    it.each(SESSION_STATUSES)('sets a session that is %s as the contract says', async (status) => {
      const world = await World.in(await factory());
      const session = await world.changeSession(await world.session(), {
        status,
        ownerVersion: 4,
        workspaceId: 'wsp_1',
      });
      await world.store.recordSummary(world.summary(session), ALPHA);
      expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual({
        ...session,
        status: ENDED.has(status) ? 'idle' : status,
        updatedAt: expect.any(Date),
      });
    });

    it.each(SESSION_STATUSES)(
      'replays only the status change of the same summary id on a session that is %s again',
      async (status) => {
        const world = await World.in(await factory());
        const session = await world.session();
        const summary = world.summary(session, FULL);
        await world.store.recordSummary(summary, ALPHA);
        await world.changeSession(session, { status });

        const other = { ...summary, agentSummary: 'something else', deliverables: [] };
        await world.store.recordSummary(other, ALPHA);

        expect(await world.store.getSession(session.id, ALPHA)).toMatchObject({
          status: ENDED.has(status) ? 'idle' : status,
        });
        expect(await world.store.getSummary(session.id, ALPHA)).toStrictEqual(summary);
      },
    );

    it('touches no edge of the session and no message', async () => {
      const world = await World.in(await factory());
      const [parent, child] = [await world.session(), await world.session()];
      const edge = await world.edge(parent, child);
      await world.store.appendMessage(child.id, { role: 'user', content: 'x' }, ALPHA);
      await world.store.recordSummary(world.summary(child), ALPHA);
      expect(await world.store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
      expect(await world.store.loadMessages(child.id, ALPHA)).toHaveLength(1);
    });

    it('allows one summary id for several sessions', async () => {
      const world = await World.in(await factory());
      const [one, two] = [await world.session(), await world.session()];
      for (const session of [one, two]) {
        await world.store.recordSummary(world.summary(session, { id: 'sum_shared' }), ALPHA);
      }
      expect((await world.store.getSummary(two.id, ALPHA))?.sessionRef).toBe(two.id);
    });
  });
}
