/** Copies of the sessions of a memory store that were read last. */

import type { Session } from '../../session';
import { copyOfActor, isKeepable } from './actors';
import type { Counters, Seen } from './counters';

/** With more copies than this, all are dropped. */
const MOST_COPIES = 4096;

/** Sessions that more actors had before are not kept. */
const MOST_ACTORS = 64;

interface KeptSession {
  /** Changes of the session. */
  readonly changes: number;
  readonly session: Session;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export class KeptSessions {
  readonly #counters: Counters;
  readonly #kept = new Map<string, KeptSession>();

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** A copy of the tenant's session, if one is kept that still holds. */
  recall(id: string, tenantId: string): Session | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.changes !== this.#counters.session(id)) return undefined;
    const { session, createdAt, updatedAt } = kept;
    if (session.tenantId !== tenantId) return undefined;
    const { currentActor, previousActors } = session;
    return {
      id: session.id,
      projectId: session.projectId,
      tenantId: session.tenantId,
      status: session.status,
      currentActor: currentActor === null ? null : copyOfActor(currentActor),
      previousActors: previousActors.length === 0 ? [] : previousActors.map(copyOfActor),
      workspaceId: session.workspaceId,
      ownerVersion: session.ownerVersion,
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
    };
  }

  /** Keeps a copy of a session that was read after the counters had been looked at. */
  keep(session: Session, seen: Seen): void {
    const { currentActor, previousActors, createdAt, updatedAt } = session;
    if (previousActors.length > MOST_ACTORS) return;
    if (![currentActor, ...previousActors].every(isKeepable)) return;
    if (this.#kept.size >= MOST_COPIES && !this.#kept.has(session.id)) this.#kept.clear();
    this.#kept.set(session.id, {
      changes: seen.session,
      session: {
        ...session,
        currentActor: currentActor === null ? null : copyOfActor(currentActor),
        previousActors: previousActors.map(copyOfActor),
      },
      createdAt: createdAt.getTime(),
      updatedAt: updatedAt.getTime(),
    });
  }
}
