// Questions about the tree, asked of memory stores with few edges and with many, and of a store
// that scans them; and new edges, which have to be found again.

import { bareCalls } from '../baselines/floor.mjs';
import { MAP } from '../baselines/index.mjs';
import { EDGES_PER_FAMILY, newEdge, plant, TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread, uncapped } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

const FEW = 100;
const SCANNED = 10_000;

/** New edges in a turn, which are taken away before the next: few edges stay few. */
const MAX_CREATED = 50;

const questions = (...about) =>
  about.map(([name, method, who]) => ({
    name,
    ask: ({ store, families }) => asking(families.map(who), ({ id }) => store[method](id, TENANT)),
  }));

/** Whom each is asked about: sessions that have children, that have parents, any below a root. */
const withChildren = ({ children }) => children;
const withParents = ({ grandchildren }) => grandchildren;
const belowRoot = ({ children, grandchildren }) => [...children, ...grandchildren];

const QUESTIONS = questions(
  ['drill, with children', 'drill', withChildren],
  ['drill, all below a root', 'drill', belowRoot],
  ['getChildren', 'getChildren', withChildren],
  ['getAncestry', 'getAncestry', withParents],
);

const CREATING = { name: 'createSubSession', ask: creatingEdges, maxCalls: MAX_CREATED };

export async function compareLinkage(run) {
  const { few, many } = { few: FEW, many: run.effort.memoryEdges };
  for (const edges of many) {
    const title = `memory store, by the number of edges: ${text(edges)}`;
    await compare(run, {
      title,
      openers: [OURS.memory, OURS.memory],
      edges: [few, edges],
      columns: [text(few), text(edges)],
      ratioOf: 'many edges over few',
      cases: [...QUESTIONS, CREATING].map((one) => ({ ...one, asks: [one.ask, one.ask] })),
      ratio: (less, more) => ratioSpread(more, less),
    });
  }
  const [drill] = QUESTIONS;
  const floor = {
    name: 'the floor of the first: a native call, parse',
    asks: [answeringAtOnce, drill.ask],
  };
  await compare(run, {
    title: `memory store against one that scans, ${text(SCANNED)} edges`,
    openers: [OURS.memory, MAP.open],
    edges: [SCANNED, SCANNED],
    columns: ['ours', 'scanning'],
    ratioOf: 'scanning over ours',
    cases: [...QUESTIONS.map((one) => ({ ...one, asks: [one.ask, one.ask] })), floor],
    ratio: (mine, theirs) => ratioSpread(theirs, mine),
  });
}

async function compare({ directory, effort, only }, { openers, edges, cases, ratio, ...head }) {
  const wanted = chosen(head.title, cases, only);
  if (wanted.length === 0) return;
  await withStores(directory, openers, async (stores) => {
    const gardens = [];
    for (const [i, store] of stores.entries()) {
      gardens.push(await plant(store, edges[i] / EDGES_PER_FAMILY));
    }
    await runGroup(
      head,
      wanted,
      async ({ asks, maxCalls = Infinity }, rounds) => {
        const contenders = [];
        for (const [i, garden] of gardens.entries()) contenders.push(await asks[i](garden));
        return alternate(contenders, { ...uncapped(rounds(effort)), maxCalls });
      },
      ratio,
    );
  });
}

function asking(asked, question) {
  return { call: (i) => question(scattered(asked, i)) };
}

/** The step is a prime: many edges get no help from asking the same few again and again. */
function scattered(asked, i) {
  const sessions = asked[(i * 7919) % asked.length];
  return sessions[i % sessions.length];
}

/** A native call, and the parsing of what a drill answers: who crosses into a core needs both. */
async function answeringAtOnce({ store, families }) {
  const answers = [];
  for (const { children } of families) {
    const texts = [];
    for (const { id } of children) texts.push(JSON.stringify(await store.drill(id, TENANT)));
    answers.push(texts);
  }
  const { call } = bareCalls.nativeCall();
  return asking(answers, async (text) => {
    call();
    return JSON.parse(text);
  });
}

function creatingEdges({ store, families }) {
  const created = [];
  const [parents, children] = [families.map(belowRoot), families.map(withParents)];
  return {
    before: async () => {
      for (const { id } of created.splice(0)) await store.deleteSubSession(id, TENANT);
    },
    call: async (i) => {
      created.push(await newEdge(store, scattered(parents, i).id, scattered(children, i + 1).id));
    },
  };
}

function text(edges) {
  return edges.toLocaleString('en');
}
