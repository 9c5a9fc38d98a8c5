// Questions about the tree, asked of memory stores with few edges and with many, and of a store
// that scans them.

import { MAP } from '../baselines/index.mjs';
import { EDGES_PER_FAMILY, plant, TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

const FEW = 100;
const MANY = 10_000;

/** Whom each is asked about: sessions that have children, that have parents, any below a root. */
const QUESTIONS = [
  { name: 'drill', about: ({ children, grandchildren }) => [...children, ...grandchildren] },
  { name: 'getChildren', about: ({ children }) => children },
  { name: 'getAncestry', about: ({ grandchildren }) => grandchildren },
];

const GROUPS = [
  {
    title: 'memory store, by the number of edges',
    openers: [OURS.memory, OURS.memory],
    edges: [FEW, MANY],
    columns: [FEW.toLocaleString('en'), MANY.toLocaleString('en')],
    ratioOf: 'many edges over few',
    compare: (few, many) => ratioSpread(many, few),
  },
  {
    title: `memory store against one that scans, ${MANY.toLocaleString('en')} edges`,
    openers: [OURS.memory, MAP.open],
    edges: [MANY, MANY],
    columns: ['ours', 'scanning'],
    ratioOf: 'scanning over ours',
    compare: (mine, theirs) => ratioSpread(theirs, mine),
    targets: { drill: { atLeast: 100 } },
  },
];

export async function compareLinkage({ directory, effort, only }) {
  const groups = [];
  for (const { title, openers, edges, columns, ratioOf, compare, targets } of GROUPS) {
    const questions = chosen(title, QUESTIONS, only);
    if (questions.length === 0) continue;
    await withStores(directory, openers, async (stores) => {
      const gardens = [];
      for (const [i, store] of stores.entries()) {
        gardens.push(await plant(store, edges[i] / EDGES_PER_FAMILY));
      }
      groups.push(
        ...(await runGroup(
          { title, columns, ratioOf },
          questions.map((one) => ({ ...one, target: targets?.[one.name] })),
          ({ name, about }) =>
            alternate(
              gardens.map((garden) => asking(garden, name, about)),
              effort,
            ),
          compare,
        )),
      );
    });
  }
  return groups;
}

function asking({ store, families }, method, about) {
  const asked = families.map(about);
  return {
    call: (i) => {
      // The step is a prime: many edges get no help from asking the same few again and again.
      const sessions = asked[(i * 7919) % asked.length];
      return store[method](sessions[i % sessions.length].id, TENANT);
    },
  };
}
