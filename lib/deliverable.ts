/** Deliverables: what a session produced. */

import type { DeliverableId, RunId, SessionId, SummaryId } from './ids';

/** A file. */
export interface FileDeliverable {
  readonly kind: 'file';
  readonly id: DeliverableId;
  readonly path: string;
  readonly contentHash: string;
  readonly sizeBytes: number;
}

/** The summary of a session; the only kind that links interventions into a chain. */
export interface SessionSummaryDeliverable {
  readonly kind: 'session_summary';
  readonly id: DeliverableId;
  readonly sessionId: SessionId;
  readonly summaryRef: SummaryId;
  readonly at: Date;
}

/** A message of a run. */
export interface MessageDeliverable {
  readonly kind: 'message';
  readonly id: DeliverableId;
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly messageId: string;
}

/** A blob in the application's own storage. */
export interface ArtifactBlobDeliverable {
  readonly kind: 'artifact_blob';
  readonly id: DeliverableId;
  readonly storageRef: string;
  readonly mediaType?: string;
}

/** Something that a session produced; `kind` tells what. */
export type DeliverableRef =
  | FileDeliverable
  | SessionSummaryDeliverable
  | MessageDeliverable
  | ArtifactBlobDeliverable;

/** The kinds of deliverables. */
export type DeliverableKind = DeliverableRef['kind'];
