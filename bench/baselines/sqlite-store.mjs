// SQLite by better-sqlite3: one table a record kind, the record as JSON text beside the columns
// that are looked for, prepared statements, a write-ahead log. Its calls are synchronous: the
// event loop waits for them, syncs included.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TableStore } from './table-store.mjs';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS project (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, record TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS session (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, record TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS summary (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, record TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS edge (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, parent TEXT NOT NULL, child TEXT NOT NULL,
    record TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS edge_by_parent ON edge (parent);
  CREATE INDEX IF NOT EXISTS edge_by_child ON edge (child);
  CREATE TABLE IF NOT EXISTS message (
    session TEXT NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL, tenant TEXT NOT NULL,
    message TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (session, number)
  ) WITHOUT ROWID;
`;

const DATES = {
  project: ['createdAt', 'updatedAt'],
  session: ['createdAt', 'updatedAt'],
  edge: ['spawnedAt', 'updatedAt', 'archivedAt'],
  summary: ['at'],
};

/**
 * @param {any} Database the class that better-sqlite3 exports
 * @param {string} directory to keep the database in
 * @param {'FULL' | 'NORMAL'} synchronous whether each commit is synced, or each checkpoint
 */
export function openSqliteStore(Database, directory, synchronous) {
  return new TableStore(tables(openDatabase(Database, directory, synchronous)));
}

/**
 * A database with these records, for another process to open.
 *
 * @param {any} Database
 * @param {string} directory
 * @param {Iterable<{ kind: import('./table-store.mjs').Kind, record: any }>} records
 */
export function fillSqliteStore(Database, directory, records) {
  const database = openDatabase(Database, directory, 'NORMAL');
  const { transact, put, close } = tables(database);
  transact(() => {
    for (const { kind, record } of records) put(kind, record.id, record);
  });
  close();
}

function openDatabase(Database, directory, synchronous) {
  mkdirSync(directory, { recursive: true });
  const database = new Database(join(directory, 'store.db'));
  database.pragma('journal_mode = WAL');
  database.pragma(`synchronous = ${synchronous}`);
  database.exec(SCHEMA);
  return database;
}

/** @param {any} Database @returns {string} of SQLite itself */
export function sqliteVersion(Database) {
  const database = new Database(':memory:');
  try {
    return database.prepare('SELECT sqlite_version()').pluck().get();
  } finally {
    database.close();
  }
}

/** @returns {import('./table-store.mjs').Tables} */
function tables(database) {
  const forEach = (prepare) =>
    Object.fromEntries(Object.keys(DATES).map((kind) => [kind, database.prepare(prepare(kind))]));
  const get = forEach((kind) => `SELECT record FROM ${kind} WHERE id = ?`);
  const owner = Object.fromEntries(
    Object.keys(DATES).map((kind) => [
      kind,
      database.prepare(`SELECT tenant FROM ${kind} WHERE id = ?`).pluck(),
    ]),
  );
  const remove = forEach((kind) => `DELETE FROM ${kind} WHERE id = ?`);
  const put = forEach(
    (kind) => `REPLACE INTO ${kind} VALUES (?, ?, ${kind === 'edge' ? '?, ?, ' : ''}?)`,
  );
  const from = database.prepare('SELECT record FROM edge WHERE parent = ?').pluck();
  const to = database.prepare('SELECT record FROM edge WHERE child = ?').pluck();
  const append = database.prepare(`
    INSERT INTO message VALUES (
      ?, (SELECT coalesce(max(number), 0) + 1 FROM message WHERE session = ?), ?, ?, ?, ?
    )
  `);
  const bare = database
    .prepare('SELECT message FROM message WHERE session = ? ORDER BY number')
    .pluck();
  const whole = database.prepare('SELECT * FROM message WHERE session = ? ORDER BY number');
  const count = database.prepare('SELECT count(*) FROM message WHERE session = ?').pluck();
  const forget = database.prepare('DELETE FROM message WHERE session = ?');
  const transaction = database.transaction((change) => change()).immediate;

  return {
    transact: (change) => transaction(change),
    get(kind, id) {
      const row = get[kind].get(id);
      return row === undefined ? undefined : revive(kind, row.record);
    },
    ownerOf: (kind, id) => owner[kind].get(id),
    put(kind, id, record) {
      const text = JSON.stringify(record);
      const { tenantId, parentSessionId, childSessionId } = record;
      if (kind === 'edge') put.edge.run(id, tenantId, parentSessionId, childSessionId, text);
      else put[kind].run(id, tenantId, text);
    },
    remove: (kind, id) => remove[kind].run(id),
    edgesFrom: (sessionId) => from.all(sessionId).map((text) => revive('edge', text)),
    edgesTo: (sessionId) => to.all(sessionId).map((text) => revive('edge', text)),
    addMessage(sessionId, { id, tenantId, message, at }) {
      append.run(sessionId, sessionId, id, tenantId, JSON.stringify(message), at.getTime());
    },
    messages: (sessionId) => bare.all(sessionId).map((text) => JSON.parse(text)),
    envelopes: (sessionId) =>
      whole.all(sessionId).map(({ id, session, tenant, message, at }) => ({
        id,
        sessionId: session,
        tenantId: tenant,
        message: JSON.parse(message),
        at: new Date(at),
      })),
    countMessages: (sessionId) => count.get(sessionId),
    removeMessages: (sessionId) => forget.run(sessionId),
    close: () => database.close(),
  };
}

function revive(kind, text) {
  const record = JSON.parse(text);
  for (const field of DATES[kind]) {
    if (record[field] !== undefined) record[field] = new Date(record[field]);
  }
  if (kind === 'summary') {
    for (const dated of [...record.deliverables, ...record.keyDecisions]) {
      if (dated.at !== undefined) dated.at = new Date(dated.at);
    }
  }
  if (record.prevArtifactRef?.at !== undefined) {
    record.prevArtifactRef.at = new Date(record.prevArtifactRef.at);
  }
  return record;
}
