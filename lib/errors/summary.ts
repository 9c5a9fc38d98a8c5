/** Errors of summaries. */

import type { SessionId, SummaryId } from '../ids';
import { DetailedError, named } from './base';

interface AgentSummaryTooLongErrorDetails {
  /** The length of the text, in UTF-16 code units. */
  actual: number;
  max: number;
}

/** The agent's summary is longer than allowed. */
export class AgentSummaryTooLongError extends DetailedError<AgentSummaryTooLongErrorDetails> {
  static {
    named(AgentSummaryTooLongError, 'AgentSummaryTooLongError');
  }

  constructor(details: AgentSummaryTooLongErrorDetails) {
    super(
      `The agent summary has ${details.actual} characters, more than the ${details.max} allowed`,
      details,
    );
  }
}

interface SessionAlreadySummarizedErrorDetails {
  sessionId: SessionId;
  existingSummaryId: SummaryId;
}

/** A session has another summary already, and a summary never changes. */
export class SessionAlreadySummarizedError extends DetailedError<SessionAlreadySummarizedErrorDetails> {
  static {
    named(SessionAlreadySummarizedError, 'SessionAlreadySummarizedError');
  }

  constructor(details: SessionAlreadySummarizedErrorDetails) {
    super(
      `Session ${details.sessionId} is already summarized by ${details.existingSummaryId}`,
      details,
    );
  }
}
