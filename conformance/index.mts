/**
 * The contract of `SessionStore` as tests for vitest: the suite that this package
 * holds its own stores to, for applications that write one themselves.
 */

import type { SessionStore } from 'namzu-native';
import { describe } from 'vitest';
import { describeAncestry } from './ancestry.mjs';
import { describeBadArguments } from './bad-arguments.mjs';
import { describeBadPayloads } from './bad-payloads.mjs';
import { describeConcurrency } from './concurrency.mjs';
import { describeDeletion } from './deletion.mjs';
import { describeDrill } from './drill.mjs';
import { describeForeignEdges } from './foreign-edges.mjs';
import { describeLinkage } from './linkage.mjs';
import { describeMalformedIds } from './malformed-ids.mjs';
import { describeMessages } from './messages.mjs';
import { describeOwnership } from './ownership.mjs';
import { describeProjects } from './projects.mjs';
import { describeSessions } from './sessions.mjs';
import { describeSizes } from './sizes.mjs';
import { describeSubSessions } from './sub-sessions.mjs';
import { describeSummaries } from './summaries.mjs';
import { describeTenancy } from './tenancy.mjs';
import { describeTwoObjects, isPair } from './two-objects.mjs';
import { describeUpdates } from './updates.mjs';

/** Two objects over the same data, as two processes of an application have them. */
export interface StorePair {
  /** The store that every group is about. */
  readonly store: SessionStore;
  /** Another object over the data of `store`, which shares nothing else with it. */
  readonly second: SessionStore;
}

/**
 * Answers a store with nothing in it, or two over the same data; each test calls it once.
 * The group `two-objects` is skipped, test by test, where there is one alone: a store whose
 * compare-and-set holds under a lock of the object passes every other.
 */
export type StoreFactory = () => SessionStore | StorePair | Promise<SessionStore | StorePair>;

/** Answers the store that a test is about. */
export type SingleStoreFactory = () => Promise<SessionStore>;

/**
 * The groups of the cases, by what they are about.
 *
 * `ownership`, `malformed-ids`, `bad-arguments`, `bad-payloads`, `concurrency` and
 * `two-objects` are about promises that this package adds to those of `@namzu/sdk` 0.2.0.
 */
export type ConformanceGroup =
  | 'projects'
  | 'sessions'
  | 'sub-sessions'
  | 'updates'
  | 'deletion'
  | 'messages'
  | 'linkage'
  | 'ancestry'
  | 'drill'
  | 'summaries'
  | 'tenancy'
  | 'foreign-edges'
  | 'ownership'
  | 'malformed-ids'
  | 'bad-arguments'
  | 'bad-payloads'
  | 'concurrency'
  | 'sizes'
  | 'two-objects';

/** What of the contract a store is held to. */
export interface ConformanceOptions {
  /** Groups to leave out; they are reported as skipped. */
  readonly skip?: readonly ConformanceGroup[] | undefined;
}

const GROUPS: Readonly<
  Record<ConformanceGroup, (single: SingleStoreFactory, factory: StoreFactory) => void>
> = {
  projects: describeProjects,
  sessions: describeSessions,
  'sub-sessions': describeSubSessions,
  updates: describeUpdates,
  deletion: describeDeletion,
  messages: describeMessages,
  linkage: describeLinkage,
  ancestry: describeAncestry,
  drill: describeDrill,
  summaries: describeSummaries,
  tenancy: describeTenancy,
  'foreign-edges': describeForeignEdges,
  ownership: describeOwnership,
  'malformed-ids': describeMalformedIds,
  'bad-arguments': describeBadArguments,
  'bad-payloads': describeBadPayloads,
  concurrency: describeConcurrency,
  sizes: describeSizes,
  'two-objects': (_, factory) => describeTwoObjects(factory),
};

/** The names of all groups. */
export const CONFORMANCE_GROUPS = Object.freeze(Object.keys(GROUPS)) as readonly ConformanceGroup[];

/**
 * Holds a store to every rule of the `SessionStore` contract. To be called in a test
 * file of vitest.
 *
 * @param name what the tests are reported under
 * @param factory answers a new, empty store, or two objects over the same new data
 * @throws RangeError when `options.skip` names a group that does not exist
 *
 * @example
 * ```ts
 * import { describeSessionStore } from 'namzu-native/conformance';
 *
 * describeSessionStore('PostgresStore', () => new PostgresStore(emptySchema()), {
 *   skip: ['malformed-ids'],
 * });
 *
 * // Two connections to one schema, as two processes would have them.
 * describeSessionStore('PostgresStore, twice', () => {
 *   const schema = emptySchema();
 *   return { store: new PostgresStore(schema), second: new PostgresStore(schema) };
 * });
 * ```
 */
export function describeSessionStore(
  name: string,
  factory: StoreFactory,
  options: ConformanceOptions = {},
): void {
  const skipped = new Set<string>(options.skip);
  for (const group of skipped) {
    if (!Object.hasOwn(GROUPS, group)) {
      throw new RangeError(
        `There is no group ${JSON.stringify(group)} to skip; ` +
          `the groups are ${CONFORMANCE_GROUPS.join(', ')}`,
      );
    }
  }
  const single = async () => {
    const made = await factory();
    return isPair(made) ? made.store : made;
  };
  describe(name, () => {
    for (const [group, describeGroup] of Object.entries(GROUPS)) {
      describe.skipIf(skipped.has(group))(group, () => describeGroup(single, factory));
    }
  });
}
