/** Copies of actors, which nobody else changes. */

import type { ActorRef } from '../../actor';

/** Actors that are nested deeper than this are not kept. */
const MOST_LEVELS = 8;

/** Whether an actor is worth a copy. */
export function isKeepable(actor: ActorRef | null): boolean {
  return isWithin(MOST_LEVELS, actor);
}

function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isWithin(levels - 1, inner));
}

/** A copy of an actor, all the way down. */
export function copyOfActor(actor: ActorRef): ActorRef {
  return copyOfObject(actor);
}

function copyOfObject<T extends object>(value: T): T {
  const copy = { ...value } as Record<string, unknown>;
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === 'object' && inner !== null) copy[key] = copyInner(inner);
  }
  return copy as T;
}

function copyInner(value: object): unknown {
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'object' && item !== null ? copyInner(item) : item))
    : copyOfObject(value);
}
