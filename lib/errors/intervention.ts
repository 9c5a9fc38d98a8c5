/** Errors of interventions. */

import type { SubSessionId } from '../ids';
import { DetailedError, named } from './base';

interface ArtifactRefCycleErrorDetails {
  startSubSessionId: SubSessionId;
  /** From the start upward; the last id is the one that was met before. */
  cyclePath: readonly SubSessionId[];
}

/** A chain of interventions leads back into itself. */
export class ArtifactRefCycleError extends DetailedError<ArtifactRefCycleErrorDetails> {
  static {
    named(ArtifactRefCycleError, 'ArtifactRefCycleError');
  }

  constructor(details: ArtifactRefCycleErrorDetails) {
    super(
      `The artifact chain of sub-session ${details.startSubSessionId} is a cycle: ` +
        details.cyclePath.join(' -> '),
      details,
    );
  }
}

interface InterventionDepthExceededDetails {
  /** The sub-session that was proposed. */
  subSessionId: SubSessionId;
  depth: number;
  limit: number;
}

/** A chain of interventions is longer than the project allows. */
export class InterventionDepthExceeded extends DetailedError<InterventionDepthExceededDetails> {
  static {
    named(InterventionDepthExceeded, 'InterventionDepthExceeded');
  }

  constructor(details: InterventionDepthExceededDetails) {
    super(
      `Sub-session ${details.subSessionId} would be intervention number ${details.depth} ` +
        `in its chain, over the limit of ${details.limit}`,
      details,
    );
  }
}
