// What our stores are compared with. To add a baseline, write a file beside this one whose store
// has the methods of the contract, and name it here; every case then measures it, and its answers
// are compared with ours before anything is timed.

import { loadPeer } from '../peers/install.mjs';
import { openLmdbStore } from './lmdb-store.mjs';
import { MapStore } from './map-store.mjs';
import { ObviousStore } from './obvious-store.mjs';
import { loadPeerPackage } from './peer.mjs';
import { openSqliteStore, sqliteVersion } from './sqlite-store.mjs';

/**
 * @typedef {object} Baseline
 * @property {string} name as printed
 * @property {readonly ('relaxed' | 'full' | 'memory')[]} like which of our stores it is compared
 *   with: those that promise as much, and those that promise more
 * @property {Record<string, string>} [versions] of what it is made of, by their names
 * @property {boolean} [scans] whether it reads all edges for a question about one session
 * @property {boolean} [foreign] whether it may answer differently or lack methods: then that is
 *   said, and the run goes on
 * @property {(directory: string, writers: number) => Promise<BenchStore>} open an empty store, which
 *   keeps all it writes in this directory; so many writers will be at work at once
 */

/**
 * @typedef {Pick<import('namzu-native').SessionStore, keyof import('namzu-native').SessionStore>
 *   & { close?: () => Promise<void> }} BenchStore
 */

/** @type {Baseline} */
export const OBVIOUS = {
  name: 'the obvious node:fs/promises store',
  like: ['relaxed', 'full'],
  scans: true,
  open: async (directory) => new ObviousStore({ rootDir: directory }),
};

/** @type {Baseline} */
export const MAP = {
  name: 'the plain Map store',
  like: ['memory'],
  open: async () => new MapStore(),
};

/**
 * Those that can be had here, and why others cannot.
 *
 * @param {string} directory that the run may write to
 * @param {string} from where a relative `BENCH_PEER` starts
 * @returns {Promise<{ baselines: Baseline[], skipped: string[] }>}
 */
export async function findBaselines(directory, from) {
  const skipped = [];
  const installed = (name, baselinesOver) => {
    const { found, version, why } = loadPeer(name);
    if (found !== undefined) return baselinesOver(found, version);
    skipped.push(`${name}: ${why}`);
    return [];
  };
  return {
    baselines: [
      OBVIOUS,
      ...installed('better-sqlite3', sqliteBaselines),
      ...installed('lmdb', lmdbBaselines),
      MAP,
      ...(await peerBaselines(directory, from)),
    ],
    skipped,
  };
}

/** @returns {Baseline[]} */
function sqliteBaselines(Database, version) {
  const versions = { 'better-sqlite3': version, sqlite: sqliteVersion(Database) };
  const baseline = (synchronous, like) => ({
    name: `better-sqlite3 ${synchronous}`,
    versions,
    like: [like],
    open: async (directory) => openSqliteStore(Database, directory, synchronous),
  });
  return [baseline('NORMAL', 'relaxed'), baseline('FULL', 'full')];
}

/** @returns {Baseline[]} */
function lmdbBaselines({ open }, version) {
  const baseline = (name, flushed, like) => ({
    name,
    versions: { lmdb: version },
    like: [like],
    open: async (directory, writers) => openLmdbStore(open, directory, flushed, writers),
  });
  return [baseline('lmdb unsynced', false, 'relaxed'), baseline('lmdb flushed', true, 'full')];
}

/** @returns {Promise<Baseline[]>} */
async function peerBaselines(directory, from) {
  const peer = process.env.BENCH_PEER;
  if (!peer) return [];
  const { exports, version } = await loadPeerPackage(peer, from, directory);
  const { DiskSessionStore, InMemorySessionStore } = exports;
  // What it reads for a question is not known: a run must not take hours to find it out.
  const foreign = { versions: { [peer]: version }, scans: true, foreign: true };
  const disk = {
    name: `the peer ${peer}, disk`,
    ...foreign,
    like: ['relaxed', 'full'],
    open: async (rootDir) => new DiskSessionStore({ rootDir }),
  };
  const memory = {
    name: `the peer ${peer}, memory`,
    ...foreign,
    like: ['memory'],
    open: async () => new InMemorySessionStore(),
  };
  return [disk, memory].filter((_, i) => [DiskSessionStore, InMemorySessionStore][i]);
}
