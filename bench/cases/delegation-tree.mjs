// A tree of delegates, each of which delegates to as many at once: created from its root,
// drilled session by session, deleted from its leaves.

import { newEdge, newSession, TENANT } from './plant.mjs';

/** So many calls are on their way at once, where creating and deleting are measured. */
export const AT_ONCE = 32;

/**
 * @param {import('../baselines/index.mjs').BenchStore} store
 * @param {import('namzu-native').ProjectId} projectId
 * @param {{ depth: number, width: number }} shape
 * @param {{ atMost: number, milliseconds: number }} [sample] of the delegates that are drilled and
 *   deleted, one after the other, and how long either may take; all of them when absent
 * @returns {Promise<{ created: number, drilled: number, deleted: number }>} microseconds a delegate
 */
export async function growAndFell(store, projectId, { depth, width }, sample) {
  const root = await newSession(store, projectId);
  /** @type {{ edge: import('namzu-native').SubSession, level: number }[]} */
  const delegates = [];
  const created = await perCall(async () => {
    let parents = [root.id];
    for (let level = 1; level <= depth; level += 1) {
      const jobs = parents.flatMap((parent) => Array.from({ length: width }, () => parent));
      const children = [];
      await inParallel(jobs, AT_ONCE, Infinity, async (parentId) => {
        const { id } = await newSession(store, projectId);
        delegates.push({ edge: await newEdge(store, parentId, id), level });
        children.push(id);
      });
      parents = children;
    }
    return delegates.length;
  });
  const { atMost = Infinity, milliseconds = Infinity } = sample ?? {};
  const callers = sample === undefined ? AT_ONCE : 1;
  const drilled = await perCall(async () => {
    const end = performance.now() + milliseconds;
    // Every so many, so that a sample has delegates of every level.
    const step = Math.max(1, Math.floor(delegates.length / atMost));
    let calls = 0;
    for (let i = 0; i < delegates.length && (calls === 0 || performance.now() < end); i += step) {
      await store.drill(delegates[i].edge.childSessionId, TENANT);
      calls += 1;
    }
    return calls;
  });
  const deleted = await perCall(async () => {
    const end = performance.now() + milliseconds;
    let calls = 0;
    // The leaves before those that they hang on.
    for (let level = depth; level > 0 && calls < atMost && performance.now() < end; level -= 1) {
      const leaves = delegates.filter((one) => one.level === level).slice(0, atMost - calls);
      calls += await inParallel(leaves, callers, end, async ({ edge }) => {
        await store.deleteSubSession(edge.id, TENANT);
        await store.deleteSession(edge.childSessionId, TENANT);
      });
    }
    return calls;
  });
  return { created, drilled, deleted };
}

/** Answers how many jobs were begun before the time was over; each that was is done. */
async function inParallel(jobs, callers, end, work) {
  let begun = 0;
  const worker = async () => {
    while (begun < jobs.length && (begun === 0 || performance.now() < end)) {
      const job = jobs[begun];
      begun += 1;
      await work(job);
    }
  };
  await Promise.all(Array.from({ length: callers }, worker));
  return begun;
}

/** Microseconds of each of the calls, which `work` counts. */
async function perCall(work) {
  const start = process.hrtime.bigint();
  const calls = await work();
  return Number(process.hrtime.bigint() - start) / 1000 / calls;
}
