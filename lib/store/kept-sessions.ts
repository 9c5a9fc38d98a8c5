/**
 * Copies of the sessions of a memory store that were read last. The core counts the
 * changes of its sessions in memory that can be looked at from here, so a copy is known
 * to hold without a call into the core, which costs more than the copying.
 */

import type { ActorRef } from '../actor';
import { type CountingStore, native } from '../native';
import type { Session } from '../session';

/** With more copies than this, all are dropped. */
const MOST = 4096;

/** Actors that are nested deeper than this are not kept. */
const MOST_LEVELS = 8;

interface Kept {
  readonly version: number;
  readonly session: Session;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export class KeptSessions {
  readonly #versions: Uint32Array;
  readonly #kept = new Map<string, Kept>();

  private constructor(versions: Uint32Array) {
    this.#versions = versions;
  }

  /** Nothing where the core's counters cannot be looked at. */
  static of(core: CountingStore): KeptSessions | undefined {
    const versions = core.versions();
    return versions !== null && countersAreShared() ? new KeptSessions(versions) : undefined;
  }

  /** How often a session was changed, with others that share its counter. */
  version(id: string): number {
    // As the core groups them, by the last two characters.
    const group = id.charCodeAt(id.length - 2) * 37 + id.charCodeAt(id.length - 1);
    return this.#versions[group % this.#versions.length] as number;
  }

  /** A copy of the tenant's session, if one is kept that still holds. */
  recall(id: string, tenantId: string): Session | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.version !== this.version(id)) return undefined;
    const { session, createdAt, updatedAt } = kept;
    if (session.tenantId !== tenantId) return undefined;
    const { currentActor, previousActors } = session;
    return {
      id: session.id,
      projectId: session.projectId,
      tenantId: session.tenantId,
      status: session.status,
      currentActor: currentActor === null ? null : copyOf(currentActor),
      previousActors: previousActors.length === 0 ? [] : previousActors.map(copyOf),
      workspaceId: session.workspaceId,
      ownerVersion: session.ownerVersion,
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
    };
  }

  /** Keeps a copy of a session that was read after its version had been looked at. */
  keep(session: Session, version: number): void {
    const { currentActor, previousActors, createdAt, updatedAt } = session;
    if (![currentActor, ...previousActors].every((actor) => isWithin(MOST_LEVELS, actor))) return;
    if (this.#kept.size >= MOST) this.#kept.clear();
    this.#kept.set(session.id, {
      version,
      session: {
        ...session,
        currentActor: currentActor === null ? null : copyOf(currentActor),
        previousActors: previousActors.map(copyOf),
      },
      createdAt: createdAt.getTime(),
      updatedAt: updatedAt.getTime(),
    });
  }
}

let shared: boolean | undefined;

/** Whether this runtime lets us look into the core's own memory, and not at a copy of it. */
function countersAreShared(): boolean {
  if (shared === undefined) {
    const probe = new native.NativeMemoryStore();
    const versions = probe.versions();
    const before = versions?.[0];
    probe.close(); // counts as a change of every session
    shared = versions?.[0] !== before;
  }
  return shared;
}

function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isWithin(levels - 1, inner));
}

/** A copy of what JSON carried, all the way down. */
function copyOf(value: ActorRef): ActorRef {
  const copy = { ...value } as Record<string, unknown>;
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === 'object' && inner !== null) copy[key] = copyInner(inner);
  }
  return copy as unknown as ActorRef;
}

function copyInner(value: object): unknown {
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'object' && item !== null ? copyInner(item) : item))
    : copyOf(value as ActorRef);
}
