/**
 * Copies of what was read last of a memory store. The core counts the changes of its
 * sessions and edges in memory that can be looked at from here, so a copy is known to
 * hold without a call into the core, which costs more than the copying.
 */

import type { SessionId } from '../../ids';
import type { CountingStore } from '../../native';
import type { SessionView, SubSession } from '../../sub-session';
import { KeptAncestries } from './ancestries';
import { KeptChildren } from './children';
import { Counters, type Seen } from './counters';
import { KeptSessions } from './sessions';

/** With more sessions asked about than this, all are forgotten. */
const MOST_ASKED = 16_384;

export class Kept {
  readonly sessions: KeptSessions;
  readonly children: KeptChildren;
  readonly ancestries: KeptAncestries;
  readonly #counters: Counters;
  /** The sessions whose place in the tree was read, and the changes of their edges then. */
  readonly #asked = new Map<string, number>();

  private constructor(counters: Counters) {
    this.#counters = counters;
    this.sessions = new KeptSessions(counters);
    this.children = new KeptChildren(counters);
    this.ancestries = new KeptAncestries(counters);
  }

  /** Nothing where the core's counters cannot be looked at. */
  static of(core: CountingStore): Kept | undefined {
    const counters = Counters.of(core);
    return counters === undefined ? undefined : new Kept(counters);
  }

  /** To be looked at before a session is read: what changes meanwhile must not be missed. */
  look(id: string): Seen {
    return this.#counters.seen(id);
  }

  /**
   * A copy of a session's view, if all of it is kept and still holds. What holds when it is
   * looked at held since it was read, so the parts are of one instant: that of the first.
   */
  recallView(id: string, tenantId: string): SessionView | undefined {
    const children = this.children.recall(id, tenantId);
    if (children === undefined) return undefined;
    const ancestry = this.ancestries.recall(id, tenantId);
    if (ancestry === undefined) return undefined;
    const session = this.sessions.recall(id, tenantId);
    return session === undefined ? undefined : { session, children, ancestry };
  }

  /** Keeps the parts of a view that was read after {@link Kept.look}, where it is worth it. */
  keepView({ session, children, ancestry }: SessionView, seen: Seen): void {
    if (!this.#isAskedAgain(session.id, seen)) return;
    this.sessions.keep(session, seen);
    this.children.keep(session.id, session.tenantId, children, seen);
    this.ancestries.keep(session.id, session.tenantId, ancestry, seen);
  }

  /** Keeps a session's children, likewise. */
  keepChildren(id: string, tenant: string, children: readonly SubSession[], seen: Seen): void {
    if (this.#isAskedAgain(id, seen)) this.children.keep(id, tenant, children, seen);
  }

  /** Keeps a session's ancestry, likewise. */
  keepAncestry(id: string, tenant: string, ancestry: readonly SessionId[], seen: Seen): void {
    if (this.#isAskedAgain(id, seen)) this.ancestries.keep(id, tenant, ancestry, seen);
  }

  /**
   * Whether a session's place in the tree was read before and is the same: the copies cost
   * half as much as the reading, and many a tree is looked at once.
   */
  #isAskedAgain(id: string, seen: Seen): boolean {
    if (this.#asked.get(id) === seen.links) return true;
    if (this.#asked.size >= MOST_ASKED && !this.#asked.has(id)) this.#asked.clear();
    this.#asked.set(id, seen.links);
    return false;
  }
}
