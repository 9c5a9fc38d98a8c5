/** Copies of the lists of children that were read last of a memory store. */

import type { SubSession } from '../../sub-session';
import { copyOfActor, isKeepable } from './actors';
import type { Counters, Seen } from './counters';

/** With more children in all lists than this, and lists, all are dropped. */
const MOST_COPIES = 16_384;

/** Lists that are longer are not kept. */
const MOST_CHILDREN = 64;

interface KeptList {
  readonly tenantId: string;
  /** Changes of the edges that name the session. */
  readonly links: number;
  readonly children: readonly SubSession[];
}

export class KeptChildren {
  readonly #counters: Counters;
  readonly #kept = new Map<string, KeptList>();
  #count = 0;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** A copy of a session's children of the tenant, if one is kept that still holds. */
  recall(id: string, tenantId: string): SubSession[] | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.links !== this.#counters.links(id)) return undefined;
    return kept.tenantId === tenantId ? kept.children.map(copyOfEdge) : undefined;
  }

  /** Keeps a copy of what was read after the counters had been looked at. */
  keep(id: string, tenantId: string, children: readonly SubSession[], seen: Seen): void {
    if (children.length > MOST_CHILDREN || !children.every(isPlain)) return;
    const before = this.#kept.get(id);
    this.#count += roomOf(children) - (before === undefined ? 0 : roomOf(before.children));
    if (this.#count > MOST_COPIES) {
      this.#kept.clear();
      this.#count = roomOf(children);
    }
    this.#kept.set(id, { tenantId, links: seen.links, children: children.map(copyOfEdge) });
  }
}

/** An empty list takes some room as well. */
function roomOf(children: readonly SubSession[]): number {
  return 1 + children.length;
}

function isPlain(edge: SubSession): boolean {
  return edge.prevArtifactRef === undefined && isKeepable(edge.spawnedBy);
}

function copyOfEdge(edge: SubSession): SubSession {
  const copy = { ...edge };
  copy.spawnedBy = copyOfActor(edge.spawnedBy);
  copy.spawnedAt = new Date(edge.spawnedAt.getTime());
  copy.updatedAt = new Date(edge.updatedAt.getTime());
  if (edge.archivedAt !== undefined) copy.archivedAt = new Date(edge.archivedAt.getTime());
  return copy;
}
