/** Walking the tree of sessions, over any source of edges. Pure and synchronous. */

import { AncestryCycleError } from './errors';
import type { SessionId } from './ids';
import type { SubSession } from './sub-session';

/** A source of edges. */
export interface LinkageView {
  /** The edges that name the session as parent, in any order. */
  findChildSubSessions(parentId: SessionId): readonly SubSession[];
  /** The edge that names the session as child, or `null` when it is a root. */
  findParentSubSession(childId: SessionId): SubSession | null;
}

/**
 * The edges one level below a session, in the order in which the view answers
 * them; see {@link orderChildren}.
 */
export function getChildren(view: LinkageView, sessionId: SessionId): readonly SubSession[] {
  return view.findChildSubSessions(sessionId);
}

/**
 * The sessions from the root down to `sessionId` itself. A session that the
 * view does not know answers `[sessionId]`.
 *
 * @throws {@link AncestryCycleError} when the walk upward meets a session twice.
 */
export function getAncestry(view: LinkageView, sessionId: SessionId): readonly SessionId[] {
  const path: SessionId[] = [sessionId];
  const seen = new Set<SessionId>(path);
  let edge = view.findParentSubSession(sessionId);
  while (edge !== null) {
    const parent = edge.parentSessionId;
    path.push(parent);
    if (seen.has(parent)) throw new AncestryCycleError({ sessionId, cyclePath: path });
    seen.add(parent);
    edge = view.findParentSubSession(parent);
  }
  return path.reverse();
}

/** The same edges in a new array, ordered by `spawnedAt`, then by id. */
export function orderChildren(children: readonly SubSession[]): SubSession[] {
  return [...children].sort(
    (a, b) => a.spawnedAt.getTime() - b.spawnedAt.getTime() || (a.id < b.id ? -1 : +(a.id > b.id)),
  );
}
