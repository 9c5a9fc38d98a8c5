/** Makes the summary of a session. */

import * as argument from './arguments';
import type { DeliverableRef } from './deliverable';
import { Host } from './host';
import type { SessionId, SummaryId, TenantId } from './ids';
import { parseSummary, reviveSummary } from './json';
import { native } from './native';
import type { SessionStore } from './store/session-store';
import type {
  SessionSummaryKeyDecision,
  SessionSummaryOutcome,
  SessionSummaryRef,
} from './summary';

/** What a {@link SessionSummaryMaterializer} works with. Each is looked up when it is needed. */
export interface SessionSummaryMaterializerDeps {
  readonly store: SessionStore;
  readonly generateSummaryId: () => SummaryId;
  /** The clock; the current time when absent. */
  readonly now?: (() => Date) | undefined;
}

/** The same, with no more of a store than what is called. */
interface AcceptedDeps extends Omit<SessionSummaryMaterializerDeps, 'store'> {
  readonly store: Pick<SessionStore, 'getSession' | 'getSummary' | 'recordSummary'>;
}

/** What a summary is made from. */
export interface MaterializeInput {
  readonly sessionId: SessionId;
  readonly tenantId: TenantId;
  readonly finalOutcome: SessionSummaryOutcome;
  /** At most `AGENT_SUMMARY_MAX_CHARS` long. */
  readonly agentSummary: string;
  readonly declaredDeliverables: readonly DeliverableRef[];
  readonly keyDecisions: readonly SessionSummaryKeyDecision[];
}

/**
 * Makes and records the summaries of sessions, over any store.
 *
 * @example
 * ```ts
 * const materializer = new SessionSummaryMaterializer({ store, generateSummaryId });
 * const summary = await materializer.materialize({
 *   sessionId: session.id,
 *   tenantId: tenant,
 *   finalOutcome: { status: 'succeeded' },
 *   agentSummary: 'Rebooked the flight.',
 *   declaredDeliverables: [],
 *   keyDecisions: [],
 * });
 * ```
 */
export class SessionSummaryMaterializer {
  private readonly deps: SessionSummaryMaterializerDeps;

  constructor(deps: AcceptedDeps) {
    this.deps = deps as SessionSummaryMaterializerDeps;
  }

  /**
   * Makes the summary of a session and records it.
   *
   * @throws AgentSummaryTooLongError when `agentSummary` is too long
   * @throws Error (`… not found`) when there is no such session
   * @throws SessionAlreadySummarizedError when the session has a summary
   */
  async materialize(input: MaterializeInput): Promise<SessionSummaryRef> {
    const text = argument.json('input', input);
    argument.tenant(input.tenantId);
    return parseSummary(
      await hostOf(this.deps).run((call) => native.materializeSummary(call, text)),
    );
  }

  /**
   * The summary of a session, or `null` when it has none. Where the session still
   * counts as working although it has one, as after a crash, that is made good.
   * Calling it again changes nothing.
   */
  async recover(sessionId: SessionId, tenantId: TenantId): Promise<SessionSummaryRef | null> {
    const id = argument.string('sessionId', sessionId);
    const tenant = argument.tenant(tenantId);
    const text = await hostOf(this.deps).run((call) => native.recoverSummary(call, id, tenant));
    return text === null ? null : parseSummary(text);
  }
}

function hostOf(dependencies: SessionSummaryMaterializerDeps): Host {
  const deps = {
    generateSummaryId: () => dependencies.generateSummaryId(),
    now: () => dependencies.now?.() ?? new Date(),
  };
  return new Host(
    { store: () => dependencies.store, deps: () => deps },
    { 'store.recordSummary': ([summary]: [SessionSummaryRef]) => reviveSummary(summary) },
  );
}
