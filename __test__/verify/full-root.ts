import { join } from 'node:path';
import { type DiskSessionStore, MARKER_REL_PATH, writeMarker } from 'namzu-native';
import { said } from '../extensions/stores.js';
import { archiveWorld, managerOf } from '../retention/archive-world.js';
import { sessionDir } from '../support/paths.js';
import { writeText } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

/** A closed root that has every kind of file that there can be, and nothing wrong with it. */
export async function fullRoot() {
  const { root, store, backend, world, parent, child, edge } = await archiveWorld();
  await store.appendMessages(parent.id, [said('one'), said('two')], ALPHA);
  await store.recordSummary(world.summary(parent), ALPHA);
  await store.replaceMessages(child.id, [said('x')], ALPHA);
  await world.change(edge, { workspaceId: 'wsp_a' });
  const workspace = {
    id: 'wsp_a' as const,
    meta: { backend: 'shared' as const },
    createdAt: new Date(),
  };
  const manager = managerOf(store, backend, { workspaceResolver: async () => workspace });
  const { archiveRef } = await manager.archive(edge.id, ALPHA, { evict: true });
  await writeMarker(join(root, MARKER_REL_PATH), {
    version: '0.2.0',
    at: new Date(),
    migratedThreads: [],
  });
  await (store as DiskSessionStore).close();
  const intent = `.store/intents/${parent.id}.json`;
  await writeText(root, intent, JSON.stringify(intentOf(parent.id, process.pid)));
  const evicted = `${sessionDir(child)}/evicted.json`;
  return { root, parent, child, edge, intent, evicted, bundle: `archive/${archiveRef}` };
}

/** An intent whose process may run, as nobody knows when it started. */
export const intentOf = (sourceSessionId: string, pid: number) => ({
  sourceSessionId,
  tenantId: ALPHA,
  mode: 'single',
  ownerVersion: 0,
  attempt: 'att_a',
  process: { pid, startTime: '', bootId: '', copy: '' },
  at: new Date(),
  assignments: [],
  workspaces: [],
});
