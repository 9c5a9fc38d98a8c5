import { describe } from 'vitest';
import { describeAncestry } from './ancestry.js';
import { describeBadArguments } from './bad-arguments.js';
import { describeBadPayloads } from './bad-payloads.js';
import { describeConcurrency } from './concurrency.js';
import { describeDeletion } from './deletion.js';
import { describeDrill } from './drill.js';
import { describeForeignEdges } from './foreign-edges.js';
import { describeLinkage } from './linkage.js';
import { describeMalformedIds } from './malformed-ids.js';
import { describeMessages } from './messages.js';
import { describeOwnership } from './ownership.js';
import { describeProjects } from './projects.js';
import { describeSessions } from './sessions.js';
import type { StoreFactory } from './store-factory.js';
import { describeSubSessions } from './sub-sessions.js';
import { describeSummaries } from './summaries.js';
import { describeTenancy } from './tenancy.js';
import { describeUpdates } from './updates.js';

export type { StoreFactory } from './store-factory.js';

/** Holds a store to every rule of the `SessionStore` contract. */
export function describeSessionStore(name: string, factory: StoreFactory): void {
  describe(name, () => {
    describeProjects(factory);
    describeSessions(factory);
    describeSubSessions(factory);
    describeUpdates(factory);
    describeDeletion(factory);
    describeMessages(factory);
    describeLinkage(factory);
    describeAncestry(factory);
    describeDrill(factory);
    describeSummaries(factory);
    describeTenancy(factory);
    describeForeignEdges(factory);
    describeOwnership(factory);
    describeMalformedIds(factory);
    describeBadArguments(factory);
    describeBadPayloads(factory);
    describeConcurrency(factory);
  });
}
