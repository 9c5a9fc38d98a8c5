/** Copies of the ancestries that were read last of a memory store. */

import type { SessionId } from '../../ids';
import type { Counters, Seen } from './counters';

/** With more ancestors in all of them than this, all are dropped. */
const MOST_COPIES = 65_536;

/** Ancestries that are longer are not kept. */
const MOST_ANCESTORS = 64;

interface KeptAncestry {
  readonly tenantId: string;
  /** Changes of the session itself: it may have been deleted. */
  readonly session: number;
  /** From the root to the session, and the changes of the edges that name each of them. */
  readonly ancestry: readonly SessionId[];
  readonly links: readonly number[];
}

export class KeptAncestries {
  readonly #counters: Counters;
  readonly #kept = new Map<string, KeptAncestry>();
  #count = 0;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** A copy of the ancestry of the tenant's session, if one is kept that still holds. */
  recall(id: string, tenantId: string): SessionId[] | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.tenantId !== tenantId) return undefined;
    if (kept.session !== this.#counters.session(id)) return undefined;
    const { ancestry, links } = kept;
    for (let at = ancestry.length - 1; at >= 0; at -= 1) {
      if (links[at] !== this.#counters.links(ancestry[at] as SessionId)) return undefined;
    }
    return ancestry.slice();
  }

  /** Keeps a copy of what was read after the counters had been looked at. */
  keep(id: string, tenantId: string, ancestry: readonly SessionId[], seen: Seen): void {
    if (ancestry.length === 0 || ancestry.length > MOST_ANCESTORS) return;
    // Who the ancestors are was not known before.
    const links = this.#counters.linksSince(ancestry, seen);
    if (links === undefined) return;
    this.#count += ancestry.length - (this.#kept.get(id)?.ancestry.length ?? 0);
    if (this.#count > MOST_COPIES) {
      this.#kept.clear();
      this.#count = ancestry.length;
    }
    this.#kept.set(id, { tenantId, session: seen.session, ancestry: ancestry.slice(), links });
  }
}
