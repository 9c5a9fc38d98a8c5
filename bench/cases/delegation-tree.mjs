// A tree of delegates, each of which delegates to as many at once: created from its root,
// drilled session by session, deleted from its leaves.

import { newEdge, newSession, TENANT } from './plant.mjs';

/** So many deletions are on their way at once. */
const AT_ONCE = 32;

/**
 * @param {import('../baselines/index.mjs').BenchStore} store
 * @param {import('namzu-native').ProjectId} projectId
 * @param {{ depth: number, width: number }} shape
 * @returns {Promise<{ created: number, drilled: number, deleted: number }>} microseconds a session
 */
export async function growAndFell(store, projectId, { depth, width }) {
  const root = await newSession(store, projectId);
  /** @type {{ edge: import('namzu-native').SubSession, depth: number }[]} */
  const delegates = [];
  const delegate = async (parentId, level) => {
    if (level > depth) return;
    const spawn = async () => {
      const child = await newSession(store, projectId);
      delegates.push({ edge: await newEdge(store, parentId, child.id), depth: level });
      await delegate(child.id, level + 1);
    };
    await Promise.all(Array.from({ length: width }, spawn));
  };
  const perDelegate = async (work) => {
    const start = process.hrtime.bigint();
    await work();
    return Number(process.hrtime.bigint() - start) / 1000 / delegates.length;
  };
  // The work fills the list that it is divided by.
  const created = await perDelegate(() => delegate(root.id, 1));
  const drilled = await perDelegate(async () => {
    for (const { edge } of delegates) await store.drill(edge.childSessionId, TENANT);
  });
  const deleted = await perDelegate(async () => {
    for (let level = depth; level > 0; level -= 1) {
      const leaves = delegates.filter((one) => one.depth === level);
      const cut = async () => {
        for (let leaf = leaves.pop(); leaf !== undefined; leaf = leaves.pop()) {
          await store.deleteSubSession(leaf.edge.id, TENANT);
          await store.deleteSession(leaf.edge.childSessionId, TENANT);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, cut));
    }
  });
  return { created, drilled, deleted };
}
