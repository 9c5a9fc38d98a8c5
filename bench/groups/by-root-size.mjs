// The same of a small root and of larger ones: what a call costs may not depend on how many other
// records there are.

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskSessionStore } from 'namzu-native';
import { largeRootQuestions } from '../cases/large-root-questions.mjs';
import { adoptedRoot } from '../cases/large-roots.mjs';
import { TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread, uncapped } from '../harness.mjs';
import { chosen, runGroup } from './group.mjs';

/** What is made in a small root makes it larger: not by much. */
const MAX_CHANGING = 25;

export async function compareRootSizes({ directory, effort, only, largeRoot }) {
  const [small, ...larger] = effort.rootEdges;
  for (const edges of larger) {
    const title = `disk store, relaxed, by the number of edges in the root: ${text(edges)}`;
    const questions = chosen(title, largeRootQuestions, only);
    if (questions.length === 0) continue;
    const large = await openKnowing(await largeRoot(edges));
    const untouched = await openKnowing(await largeRoot(small));
    try {
      await runGroup(
        {
          title,
          columns: [text(small), text(edges)],
          ratioOf: 'large root over small root',
        },
        questions,
        async ({ ask, changes }, rounds) => {
          if (!changes) {
            const asked = [ask(untouched, small), ask(large, edges)];
            return alternate(asked, uncapped(rounds(effort)));
          }
          // What one case makes is not there in the next: it would be many times as large.
          const own = await mkdtemp(join(directory, 'small-'));
          const fresh = await openKnowing(await adoptedRoot(join(own, 'root'), small));
          try {
            const asked = [ask(fresh, small), ask(large, edges)];
            return await alternate(asked, { ...rounds(effort), maxCalls: MAX_CHANGING });
          } finally {
            await fresh.close();
          }
        },
        (few, many) => ratioSpread(many, few),
      );
    } finally {
      await untouched.close();
      await large.close();
    }
  }
}

/** A store gets to know where its records are once: see the first answers. */
async function openKnowing(rootDir) {
  const store = new DiskSessionStore({ rootDir, durability: 'relaxed' });
  await store.getAncestry('ses_unknown', TENANT);
  return store;
}

function text(edges) {
  return edges.toLocaleString('en');
}
