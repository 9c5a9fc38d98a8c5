/** Errors of workspaces. */

import { causedBy, DetailedError, named } from './base';
import type { WorkspaceBackendKind } from './words';

/** What our own drivers do, and what the driver of an application calls its own work. */
type WorkspaceBackendOp = 'create' | 'dispose' | 'inspect:list' | 'inspect:status' | (string & {});

interface WorkspaceBackendErrorDetails {
  /** What the backend was doing. */
  op: WorkspaceBackendOp;
  kind: WorkspaceBackendKind;
  /** The first error's own object. */
  cause?: unknown;
}

/** A backend could not provide, inspect or dispose of a workspace. */
export class WorkspaceBackendError extends DetailedError<WorkspaceBackendErrorDetails> {
  static {
    named(WorkspaceBackendError, 'WorkspaceBackendError');
  }

  constructor(details: WorkspaceBackendErrorDetails) {
    super(`Workspace backend ${details.kind} failed on ${details.op}`, details, causedBy(details));
  }
}
