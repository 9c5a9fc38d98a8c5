// LMDB by the package `lmdb`: the same records as values, in its own encoding, which keeps dates.
// Reads are synchronous, from mapped memory; writes are batched by a thread of its own.

import { join } from 'node:path';
import { TableStore } from './table-store.mjs';

/** After every key that starts with a session's id. */
const LAST = Number.MAX_SAFE_INTEGER;

/**
 * @param {(options: object) => any} open that the package exports
 * @param {string} directory to keep the database in
 * @param {boolean} flushed whether a write is answered when it is on the disk. Otherwise LMDB never
 *   syncs: it has nothing between that and waiting for the disk, and a power cut may then cost the
 *   whole database
 * @param {number} writers one commits by itself, which is faster than to hand its changes to a
 *   thread; what several change at once, that thread commits together
 */
export function openLmdbStore(open, directory, flushed, writers) {
  const root = open({
    path: join(directory, 'store'),
    maxDbs: 8,
    overlappingSync: false,
    noSync: !flushed,
  });
  return new TableStore(tables(root, writers === 1));
}

/** @returns {import('./table-store.mjs').Tables} */
function tables(root, alone) {
  const records = {};
  for (const kind of ['project', 'session', 'summary', 'edge']) {
    records[kind] = root.openDB({ name: kind });
  }
  const parents = root.openDB({ name: 'edge-by-parent', encoding: 'ordered-binary' });
  const children = root.openDB({ name: 'edge-by-child', encoding: 'ordered-binary' });
  const log = root.openDB({ name: 'message' });
  const under = (sessionId) => ({ start: [sessionId], end: [sessionId, '\uffff'] });
  const linked = (table, sessionId) =>
    [...table.getKeys(under(sessionId))].map(([, id]) => records.edge.get(id));
  const unlink = (id) => {
    const edge = records.edge.get(id);
    if (edge === undefined) return;
    parents.removeSync([edge.parentSessionId, id]);
    children.removeSync([edge.childSessionId, id]);
  };
  const numbers = (sessionId, options) =>
    log.getKeys({ start: [sessionId, LAST], end: [sessionId], reverse: true, ...options });
  const values = (sessionId) => [
    ...log.getRange({ start: [sessionId], end: [sessionId, LAST] }).map(({ value }) => value),
  ];

  return {
    transact: (change) => (alone ? root.transactionSync(change) : root.transaction(change)),
    get: (kind, id) => records[kind].get(id),
    ownerOf: (kind, id) => records[kind].get(id)?.tenantId,
    put(kind, id, record) {
      if (kind === 'edge') {
        unlink(id);
        parents.putSync([record.parentSessionId, id], true);
        children.putSync([record.childSessionId, id], true);
      }
      records[kind].putSync(id, record);
    },
    remove(kind, id) {
      if (kind === 'edge') unlink(id);
      records[kind].removeSync(id);
    },
    edgesFrom: (sessionId) => linked(parents, sessionId),
    edgesTo: (sessionId) => linked(children, sessionId),
    addMessage(sessionId, envelope) {
      const [last] = numbers(sessionId, { limit: 1 });
      log.putSync([sessionId, (last?.[1] ?? 0) + 1], envelope);
    },
    messages: (sessionId) => values(sessionId).map(({ message }) => message),
    envelopes: (sessionId) => values(sessionId),
    countMessages: (sessionId) => log.getKeysCount({ start: [sessionId], end: [sessionId, LAST] }),
    removeMessages(sessionId) {
      for (const key of [...numbers(sessionId)]) log.removeSync(key);
    },
    close: () => root.close(),
  };
}
