// The same of a small root and of larger ones: what a call costs may not depend on how many other
// records there are.

import { DiskSessionStore } from 'namzu-native';
import { largeRootQuestions } from '../cases/large-root-questions.mjs';
import { TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { chosen, runGroup } from './group.mjs';

const TARGET = { atMost: 1.5 };

export async function compareRootSizes({ effort, only, largeRoot }) {
  const groups = [];
  const [small, ...larger] = effort.rootEdges;
  for (const edges of larger) {
    const title = `disk store, relaxed, by the number of edges in the root: ${text(edges)}`;
    const questions = chosen(title, largeRootQuestions, only);
    if (questions.length === 0) continue;
    const judged = edges === larger.at(-1);
    const stores = [];
    for (const size of [small, edges]) {
      const rootDir = await largeRoot(size);
      stores.push(new DiskSessionStore({ rootDir, durability: 'relaxed' }));
    }
    // A store gets to know where its records are once: see the first answers.
    for (const store of stores) await store.getAncestry('ses_unknown', TENANT);
    const columns = [text(small), text(edges)];
    try {
      groups.push(
        ...(await runGroup(
          { title, columns, ratioOf: 'large root over small root' },
          questions.map((one) => ({ ...one, target: judged && one.judged ? TARGET : undefined })),
          ({ ask }) =>
            alternate([ask(stores[0], small), ask(stores[1], edges)], { ...effort, maxCalls: 200 }),
          (few, many) => ratioSpread(many, few),
        )),
      );
    } finally {
      for (const store of stores) await store.close();
    }
  }
  return groups;
}

function text(edges) {
  return edges.toLocaleString('en');
}
