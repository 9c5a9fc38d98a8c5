import type { MaterializeInput, SessionSummaryRef } from 'namzu-native';
import {
  AGENT_SUMMARY_MAX_CHARS,
  AgentSummaryTooLongError,
  generateSummaryId,
  InvalidArgumentError,
  SessionAlreadySummarizedError,
  SessionSummaryMaterializer,
  TenantIsolationError,
} from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { describeStores } from '../extensions/stores.js';
import { rejection, rejectionOf } from '../support/rejection.js';
import { ALPHA, BETA, UNKNOWN_SESSION, World } from '../support/world.js';

const NOW = new Date('2026-01-02T03:04:05.678Z');

function inputFor(world: World, sessionId = UNKNOWN_SESSION): MaterializeInput {
  return {
    sessionId,
    tenantId: world.tenant,
    finalOutcome: { status: 'partial', verdict: 'late' },
    agentSummary: 'Rebooked ☂',
    declaredDeliverables: [
      { id: 'del_a', kind: 'session_summary', sessionId, summaryRef: 'sum_z', at: NOW },
    ],
    keyDecisions: [{ at: NOW, summary: 'direct flight' }],
  };
}

describe('materializing', () => {
  describeStores((make) => {
    it('records a summary, and answers what the store has', async () => {
      const store = make();
      const world = await World.in(store);
      const session = await world.changeSession(await world.session(), { status: 'active' });
      const materializer = new SessionSummaryMaterializer({
        store,
        generateSummaryId: () => 'sum_mine',
        now: () => NOW,
      });
      const input = inputFor(world, session.id);
      const summary = await materializer.materialize(input);
      expect(summary).toStrictEqual({
        id: 'sum_mine',
        sessionRef: session.id,
        tenantId: ALPHA,
        outcome: input.finalOutcome,
        deliverables: input.declaredDeliverables,
        agentSummary: input.agentSummary,
        keyDecisions: input.keyDecisions,
        at: NOW,
        materializedBy: 'kernel',
      });
      expect(await store.getSummary(session.id, ALPHA)).toStrictEqual(summary);
      expect((await store.getSession(session.id, ALPHA))?.status).toBe('idle');
      const again = await rejectionOf(
        materializer.materialize(input),
        SessionAlreadySummarizedError,
      );
      expect(again.details).toStrictEqual({
        sessionId: session.id,
        existingSummaryId: 'sum_mine',
      });
      expect(await materializer.recover(session.id, ALPHA)).toStrictEqual(summary);
    });

    it('counts characters as JavaScript does', async () => {
      const store = make();
      const world = await World.in(store);
      const materializer = new SessionSummaryMaterializer({ store, generateSummaryId });
      for (const unit of ['x', '☂', '\n', '"', '\ud800', '\0']) {
        const session = await world.session();
        const input = inputFor(world, session.id);
        const most = unit.repeat(AGENT_SUMMARY_MAX_CHARS);
        const tooLong = materializer.materialize({ ...input, agentSummary: most + unit });
        const error = await rejectionOf(tooLong, AgentSummaryTooLongError);
        expect(error.details).toStrictEqual({ actual: 4001, max: 4000 });
        const { agentSummary } = await materializer.materialize({ ...input, agentSummary: most });
        expect(agentSummary).toBe(most);
      }
    });

    it('refuses what is missing, another tenant’s or misshapen', async () => {
      const store = make();
      const world = await World.in(store);
      const session = await world.session();
      const materializer = new SessionSummaryMaterializer({ store, generateSummaryId });
      const missing = await rejection(materializer.materialize(inputFor(world)));
      expect(missing.message).toContain('not found');
      const input = inputFor(world, session.id);
      const foreign = materializer.materialize({ ...input, tenantId: BETA });
      await rejectionOf(foreign, TenantIsolationError);
      for (const bad of [{ finalOutcome: { status: 'odd' } }, { keyDecisions: 7 }]) {
        const refused = materializer.materialize({ ...input, ...bad } as never);
        await rejectionOf(refused, InvalidArgumentError);
      }
      expect(await store.getSummary(session.id, ALPHA)).toBeNull();
      expect(await materializer.recover(session.id, ALPHA)).toBeNull();
      expect(await materializer.recover(UNKNOWN_SESSION, ALPHA)).toBeNull();
      await rejectionOf(materializer.recover(session.id, BETA), TenantIsolationError);
    });

    it.each(['active', 'locked', 'awaiting_merge'] as const)(
      'recovers a session that is still %s',
      async (status) => {
        const store = make();
        const world = await World.in(store);
        const session = await world.session();
        const materializer = new SessionSummaryMaterializer({ store, generateSummaryId });
        const summary = await materializer.materialize(inputFor(world, session.id));
        await world.changeSession(session, { status });
        for (let n = 0; n < 2; n += 1) {
          expect(await materializer.recover(session.id, ALPHA)).toStrictEqual(summary);
          expect((await store.getSession(session.id, ALPHA))?.status).toBe('idle');
        }
      },
    );

    it('calls what it finds, and throws the very thing that is thrown', async () => {
      const store = make();
      const world = await World.in(store);
      const session = await world.session();
      const deps = { store, generateSummaryId, now: () => NOW };
      const materializer = new SessionSummaryMaterializer(deps);
      const record = vi.spyOn(store, 'recordSummary');
      for (const method of ['getSession', 'getSummary', 'recordSummary'] as const) {
        const failure = Object.freeze({ odd: method });
        vi.spyOn(store, method).mockRejectedValueOnce(failure as never);
        const materialize = materializer.materialize(inputFor(world, session.id));
        expect(await materialize.catch((error: unknown) => error)).toBe(failure);
      }
      const failure = new RangeError('no id');
      deps.generateSummaryId = () => {
        throw failure;
      };
      const materialize = materializer.materialize(inputFor(world, session.id));
      expect(await materialize.catch((error: unknown) => error)).toBe(failure);
      deps.generateSummaryId = generateSummaryId;
      record.mockClear();
      const summary = await materializer.materialize(inputFor(world, session.id));
      expect(record.mock.calls).toStrictEqual([[summary, ALPHA]]);
    });
  });

  it('works over a store of three methods', async () => {
    const recorded: SessionSummaryRef[] = [];
    const store = {
      getSession: async () => ({ status: 'locked' }) as never,
      getSummary: async () => recorded[0] ?? null,
      recordSummary: async (summary: SessionSummaryRef) => void recorded.push(summary),
    };
    const materializer = new SessionSummaryMaterializer({ store, generateSummaryId });
    const world = { tenant: ALPHA } as World;
    const summary = await materializer.materialize(inputFor(world, UNKNOWN_SESSION));
    expect(recorded).toStrictEqual([summary]);
    expect(await materializer.recover(UNKNOWN_SESSION, ALPHA)).toStrictEqual(summary);
    expect(recorded).toStrictEqual([summary, summary]);
  });
});
