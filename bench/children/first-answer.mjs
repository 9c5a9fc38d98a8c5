// A process of its own that opens a root and asks it one question; prints how long that took,
// the package's loading apart, and what memory the process then has.
// Usage: first-answer.mjs ours|obvious|sqlite <root> <session> <method>…

import process from 'node:process';
import { TENANT } from '../cases/plant.mjs';

/** Each loads its package, and answers what then opens the root. */
const OPENERS = {
  async ours() {
    const { DiskSessionStore } = await import('namzu-native');
    return (rootDir) => new DiskSessionStore({ rootDir });
  },
  async obvious() {
    const { ObviousStore } = await import('../baselines/obvious-store.mjs');
    return (rootDir) => new ObviousStore({ rootDir });
  },
  async sqlite() {
    const { openSqliteStore } = await import('../baselines/sqlite-store.mjs');
    const { loadPeer } = await import('../peers/install.mjs');
    const { found } = loadPeer('better-sqlite3');
    return (rootDir) => openSqliteStore(found, rootDir, 'FULL');
  },
};

const [, , which, rootDir, sessionId, ...methods] = process.argv;
const open = await OPENERS[which]();
const start = process.hrtime.bigint();
const store = open(rootDir);
for (const method of methods) {
  const answer = await store[method](sessionId, TENANT);
  if (answer === null) throw new Error(`${method} found nothing`);
}
const microseconds = Number(process.hrtime.bigint() - start) / 1000;
console.log(JSON.stringify({ microseconds, bytes: process.memoryUsage.rss() }));
