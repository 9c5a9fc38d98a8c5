/** What archiving is about: bundles, the backends that keep them, what is left behind. */

import type { ArchiveBackendRef, SessionId, SubSessionId, SummaryId, TenantId } from '../ids';
import type { SessionMessage } from '../message';
import type { SessionSummaryRef } from '../summary';
import type { WorkspaceKeepReason, WorkspaceRef } from '../workspace';

/** What a bundle holds. */
export interface ArchiveInput {
  readonly subSessionId: SubSessionId;
  /** The child session. */
  readonly sessionId: SessionId;
  readonly tenantId: TenantId;
  readonly workspace?: WorkspaceRef;
  /** The child's whole summary. */
  readonly summaryRef?: SessionSummaryRef;
  readonly messages: readonly SessionMessage[];
}

/** Which bundle was made, and when. */
export interface ArchiveOutput {
  readonly archiveRef: ArchiveBackendRef;
  readonly archivedAt: Date;
}

/** A workspace that was not disposed of, as something would have been lost with it. */
export interface KeptWorkspace {
  readonly ref: WorkspaceRef;
  /** As its driver says; `uncommitted` also where the driver could not look. */
  readonly why: WorkspaceKeepReason;
}

/** Keeps bundles. Applications implement it for places of their own. */
export interface ArchiveBackend {
  readonly kind: string;
  /** Makes a bundle, a new one each time. */
  store(input: ArchiveInput): Promise<ArchiveOutput>;
  /** What a bundle holds; rejects with `ArchiveNotFoundError` when it cannot be read. */
  restore(archiveRef: ArchiveBackendRef): Promise<ArchiveInput>;
}

/** What an archived sub-session leaves behind. */
export interface SubSessionTombstone {
  readonly subSessionId: SubSessionId;
  readonly sessionId: SessionId;
  readonly tenantId: TenantId;
  /** The sub-session's own reference to a summary. */
  readonly summaryRef?: SummaryId;
  readonly archiveRef: ArchiveBackendRef;
  readonly archivedAt: Date;
  /** The sub-session's workspace, where it was kept; absent where nothing was. */
  readonly keptWorkspaces?: readonly KeptWorkspace[];
}
