import { join } from 'node:path';
import { DiskSessionStore } from 'namzu-native';
import { writeLargeRoot } from './large-root.mjs';
import { TENANT } from './plant.mjs';

/**
 * Large roots, each written when it is first asked for. A store has made each its own by a change:
 * it has an index.
 *
 * @param {string} directory to write them into
 * @returns {(edges: number) => Promise<string>}
 */
export function largeRoots(directory) {
  const written = new Map();
  return async (edges) => {
    if (!written.has(edges)) {
      written.set(edges, await adoptedRoot(join(directory, `root-${edges}`), edges));
    }
    return written.get(edges);
  };
}

/**
 * A root that nobody else is given.
 *
 * @param {string} rootDir to be made
 * @param {number} edges
 */
export async function adoptedRoot(rootDir, edges) {
  writeLargeRoot(rootDir, edges);
  const store = new DiskSessionStore({ rootDir });
  await store.createProject({ tenantId: TENANT, name: 'the change that adopts it' }, TENANT);
  await store.close();
  return rootDir;
}
