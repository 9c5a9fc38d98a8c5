/** Errors of workspaces. */

import type { WorkspaceBackendKind } from '../workspace';
import { causedBy, DetailedError, named } from './base';

interface WorkspaceBackendErrorDetails {
  /** What the backend was doing. */
  readonly op: 'create' | 'dispose' | 'inspect:list' | 'inspect:status';
  readonly kind: WorkspaceBackendKind;
  /** The first error's own object. */
  readonly cause?: unknown;
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
