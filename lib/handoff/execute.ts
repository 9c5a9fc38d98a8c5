/** Handing a session over. */

import { isDeepStrictEqual } from 'node:util';
import type { ActorRef } from '../actor';
import { invalid, json, part, tenant } from '../arguments';
import type { TenantId } from '../ids';
import { native } from '../native';
import { pristineCore } from '../store/pristine';
import {
  type Accepted,
  type BroadcastHandoffDeps,
  type HandoffActors,
  handoffHost,
  type SingleHandoffDeps,
} from './dependencies';
import type { HandoffAssignment, HandoffOutcome } from './types';

/**
 * Hands a session to another actor: locks it, makes a workspace, a session and an
 * edge for the recipient, and passes the ownership on. A failure after the lock
 * takes everything back and is rethrown as it was.
 *
 * Over a store of this package with nothing overridden a handoff is atomic and
 * exclusive: of any number at once, in any number of processes, exactly one wins.
 * Over any other store it is as exclusive as that store's `updateSession`.
 *
 * @throws HandoffLockRejected when the session is not idle, or a run is in the way.
 * @throws HandoffVersionConflict when it is at another version than expected.
 * @throws DelegationCapacityExceeded when the project's limits forbid it.
 * @throws TenantIsolationError when the assignment or the session is another tenant's.
 */
export async function executeSingleHandoff(
  deps: Accepted<SingleHandoffDeps>,
  assignment: HandoffAssignment,
  tenantId: TenantId,
): Promise<HandoffOutcome> {
  const text = json('assignment', assignment);
  const [outcome] = await execute(deps, text, [actorsOf(assignment, text)], tenantId);
  return outcome as HandoffOutcome;
}

/**
 * Hands a session to several actors at once: all of them get it, or none. The
 * session waits in `awaiting_merge` afterwards; its current actor stays.
 *
 * Otherwise as {@link executeSingleHandoff}. The assignments must agree on
 * everything but their ids and recipients.
 */
export async function executeBroadcastHandoff(
  deps: Accepted<BroadcastHandoffDeps>,
  assignments: readonly HandoffAssignment[],
  tenantId: TenantId,
): Promise<readonly HandoffOutcome[]> {
  if (!Array.isArray(assignments)) {
    throw invalid('assignments', 'an array', assignments, executeBroadcastHandoff);
  }
  // A hole is no assignment either, which `map` would pass over.
  const rows = Array.from(assignments, (row, at) => json(`assignments.${at}`, row));
  const actors = rows.map((text, at) => actorsOf(assignments[at] as HandoffAssignment, text));
  return execute(deps, `[${rows.join(',')}]`, actors, tenantId);
}

/** The actors of an assignment: copies where JSON makes some, else the application's own. */
function actorsOf(assignment: HandoffAssignment, text: string): HandoffActors {
  const { sourceActor, recipientActor } = assignment;
  const copies: HandoffAssignment = JSON.parse(text);
  const copied = (own: ActorRef, copy: ActorRef) => (isDeepStrictEqual(own, copy) ? copy : own);
  return {
    source: copied(sourceActor, copies.sourceActor),
    recipient: copied(recipientActor, copies.recipientActor),
  };
}

async function execute(
  deps: Accepted<SingleHandoffDeps>,
  assignments: string,
  actors: readonly HandoffActors[],
  tenantId: TenantId,
): Promise<HandoffOutcome[]> {
  const owner = tenant(tenantId);
  const core = pristineCore(part('deps', deps, 'store'));
  const text = await handoffHost(deps, actors).run((call) =>
    core === undefined
      ? native.executeHandoff(call, assignments, owner)
      : core.executeHandoff(call, assignments, owner),
  );
  return JSON.parse(text);
}
