// One entry a baseline. To add one, write a file beside this one whose store has the methods of
// the contract, and name it here; every case then measures it, and its answers are compared with
// ours before anything is timed.

import { MapStore } from './map-store.mjs';
import { ObviousStore } from './obvious-store.mjs';

/**
 * @typedef {object} Baseline
 * @property {string} name as printed
 * @property {'disk' | 'memory'} kind which of our stores it is compared with
 * @property {(directory: string) => Promise<BenchStore>} open an empty store; one of kind
 *   `disk` keeps all it writes in this directory
 */

/**
 * @typedef {Pick<import('namzu-native').SessionStore, keyof import('namzu-native').SessionStore>
 *   & { close?: () => Promise<void> }} BenchStore
 */

/** @type {readonly Baseline[]} */
export const baselines = [
  {
    name: 'obvious node:fs/promises store',
    kind: 'disk',
    open: async (directory) => new ObviousStore({ rootDir: directory }),
  },
  {
    name: 'plain Map store',
    kind: 'memory',
    open: async () => new MapStore(),
  },
];
