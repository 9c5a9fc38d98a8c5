/** What the core of a memory store counts, in memory that can be looked at from here. */

import { type CountingStore, native } from '../../native';

/** How far the counters were when somebody began to read what they are about. */
export interface Seen {
  /** Changes of the session. */
  readonly session: number;
  /** Changes of the edges that name the session. */
  readonly links: number;
  /** Changes of all edges. */
  readonly allLinks: number;
}

/** As `Versions` in the core counts: sessions by groups, edges likewise, all edges. */
export class Counters {
  readonly #counters: Uint32Array;
  readonly #groups: number;

  private constructor(counters: Uint32Array) {
    this.#counters = counters;
    this.#groups = (counters.length - 1) / 2;
  }

  /** Nothing where the core's counters cannot be looked at. */
  static of(core: CountingStore): Counters | undefined {
    const counters = core.versions();
    return counters !== null && countersAreShared() ? new Counters(counters) : undefined;
  }

  /** How often a session was changed, with others that share its counter. */
  session(id: string): number {
    return this.#counters[this.#group(id)] as number;
  }

  /** How often the edges were changed that name a session, with others that share its counter. */
  links(id: string): number {
    return this.#counters[this.#groups + this.#group(id)] as number;
  }

  seen(id: string): Seen {
    const allLinks = this.#counters[this.#groups * 2] as number;
    return { session: this.session(id), links: this.links(id), allLinks };
  }

  /**
   * How often the edges of each session were changed; nothing when any edge was changed since
   * `seen`. The core counts for all edges first, so that is looked at last; in that order, which
   * only atomic reads promise.
   */
  linksSince(ids: readonly string[], seen: Seen): number[] | undefined {
    const links = ids.map((id) => Atomics.load(this.#counters, this.#groups + this.#group(id)));
    return Atomics.load(this.#counters, this.#groups * 2) === seen.allLinks ? links : undefined;
  }

  /** As the core groups them, by the last two characters. */
  #group(id: string): number {
    return (id.charCodeAt(id.length - 2) * 37 + id.charCodeAt(id.length - 1)) % this.#groups;
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
