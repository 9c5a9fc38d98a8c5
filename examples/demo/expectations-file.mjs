// How the first process tells the second what to expect: a JSON file outside the store's root.
// Messages are JSON text inside it already, so reviving dates can never touch one.

import { readFile, writeFile } from 'node:fs/promises';

const DATES = new Set(['archivedAt', 'at', 'createdAt', 'spawnedAt', 'updatedAt']);

/** @param {string} path @param {import('./desk.mjs').Expectations} expectations */
export async function writeExpectations(path, expectations) {
  await writeFile(path, JSON.stringify(expectations), { mode: 0o600 });
}

/** @param {string} path @returns {Promise<import('./desk.mjs').Expectations>} */
export async function readExpectations(path) {
  const revive = (key, value) => (DATES.has(key) ? new Date(value) : value);
  return JSON.parse(await readFile(path, 'utf8'), revive);
}
