// The first answer of a fresh process, the index being there, by the size of the root, and the
// memory that the process then has.

import { scatteredFamily } from '../cases/large-root.mjs';
import { differenceSpread, ratioSpread, takeTurns } from '../harness.mjs';
import { chosen, runChild, runGroup } from './group.mjs';

const MEGABYTE = 1e6;
const TARGET = { atMost: 3 };

const OPENINGS = [
  { name: 'open, getSession', methods: ['getSession'] },
  { name: 'open, drill', methods: ['drill'] },
  { name: 'open, getAncestry', methods: ['getAncestry'] },
];
const WHOLE = { name: 'start Node, open, getSession', methods: ['getSession'], whole: true };

const MEMORY = [
  { name: 'after getSession', methods: ['getSession'], target: { atMost: 100 } },
  { name: 'after getSession and drill', methods: ['getSession', 'drill'], target: { atMost: 100 } },
];

export async function openLargeRoots({ effort, only, largeRoot }) {
  const groups = [];
  const [small, ...larger] = effort.rootEdges;
  for (const edges of larger) {
    const size = edges.toLocaleString('en');
    const title = `a process’s first answer, on ${size} edges`;
    const judged = edges === larger.at(-1);
    groups.push(
      ...(await runGroup(
        { title, columns: [`${small}`, size], ratioOf: 'large root over small root' },
        chosen(title, [...OPENINGS, WHOLE], only).map((one) => ({
          ...one,
          target: judged && !one.whole ? TARGET : undefined,
        })),
        async ({ methods, whole }) => {
          const asked = [];
          for (const count of [small, edges]) {
            asked.push([await largeRoot(count), scatteredFamily(count, 1).child, ...methods]);
          }
          const ask = async (args) => {
            const start = process.hrtime.bigint();
            const { microseconds } = await runChild('first-answer.mjs', ...args);
            return whole ? Number(process.hrtime.bigint() - start) / 1000 : microseconds;
          };
          return takeTurns(
            asked.map((args) => () => ask(args)),
            effort.processes,
          );
        },
        (first, second) => ratioSpread(second, first),
      )),
    );
  }
  return [...groups, ...(await residentMemory(larger.at(-1), { effort, only, largeRoot }))];
}

async function residentMemory(edges, { effort, only, largeRoot }) {
  const title = `resident memory, on ${edges.toLocaleString('en')} edges`;
  return runGroup(
    {
      title,
      columns: ['ours', 'idle Node'],
      ratioOf: 'ours minus idle Node',
      unit: 'MB',
      comparison: 'difference',
    },
    chosen(title, MEMORY, only),
    async ({ methods }) => {
      const args = [await largeRoot(edges), scatteredFamily(edges, 1).child, ...methods];
      return takeTurns(
        [
          async () => (await runChild('first-answer.mjs', ...args)).bytes / MEGABYTE,
          async () => (await runChild('idle.mjs')).bytes / MEGABYTE,
        ],
        effort.processes,
      );
    },
    differenceSpread,
  );
}
