/** Summaries: what remains of a session for those who only need its outcome. */

import type { DeliverableRef } from './deliverable';
import type { SessionId, SummaryId, TenantId } from './ids';

/** The longest allowed `agentSummary`, in UTF-16 code units, as `String.length` counts. */
export const AGENT_SUMMARY_MAX_CHARS = 4000;

/** How a session ended. */
export type SessionSummaryOutcomeStatus = 'succeeded' | 'partial' | 'failed';

/** How a session ended, and the verdict on it. */
export interface SessionSummaryOutcome {
  readonly status: SessionSummaryOutcomeStatus;
  readonly verdict?: string;
}

/** A decision worth keeping. */
export interface SessionSummaryKeyDecision {
  readonly at: Date;
  readonly summary: string;
}

/** The summary of a session. A session has at most one, and it never changes. */
export interface SessionSummaryRef {
  readonly id: SummaryId;
  /** The session that is summarized. */
  readonly sessionRef: SessionId;
  readonly tenantId: TenantId;
  readonly outcome: SessionSummaryOutcome;
  readonly deliverables: readonly DeliverableRef[];
  /** The agent's own words, at most {@link AGENT_SUMMARY_MAX_CHARS} long. */
  readonly agentSummary: string;
  readonly keyDecisions: readonly SessionSummaryKeyDecision[];
  readonly at: Date;
  readonly materializedBy: 'kernel';
}
