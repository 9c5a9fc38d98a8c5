/** Interventions: sub-sessions that go on from what an earlier one left. */

import * as argument from './arguments';
import type { DeliverableRef } from './deliverable';
import { Host } from './host';
import type { SessionId, SubSessionId } from './ids';
import { native } from './native';

/** A sub-session in a chain of interventions. */
export interface PrevArtifactNode {
  readonly subSessionId: SubSessionId;
  /** Its child session. */
  readonly sessionId: SessionId;
  /** What it went on from. */
  readonly prevArtifactRef?: DeliverableRef;
}

/** Finds the sub-session that led to a session. */
export interface InterventionChainLoader {
  loadAncestor(sessionId: SessionId): Promise<PrevArtifactNode | null>;
}

/**
 * Follows the chain that a proposed intervention would go on. Only deliverables of
 * the kind `session_summary` link; any other ends the chain.
 *
 * @param maxDepth how long the chain may be
 * @returns its sub-sessions, the nearest first
 * @throws ArtifactRefCycleError when it leads back into itself
 * @throws InterventionDepthExceeded when it is longer than `maxDepth`
 */
export async function validatePrevArtifactChain(
  loader: InterventionChainLoader,
  proposedChild: SubSessionId,
  candidateAncestor: DeliverableRef,
  maxDepth: number,
): Promise<readonly SubSessionId[]> {
  argument.object('loader', loader);
  const proposed = argument.string('proposedChild', proposedChild);
  const ancestor = argument.json('candidateAncestor', candidateAncestor);
  if (typeof maxDepth !== 'number' || Number.isNaN(maxDepth)) {
    throw argument.invalid('maxDepth', 'a number', maxDepth, validatePrevArtifactChain);
  }
  const host = new Host({ loader: () => loader });
  return JSON.parse(
    await host.run((call) => native.validatePrevArtifactChain(call, proposed, ancestor, maxDepth)),
  );
}
