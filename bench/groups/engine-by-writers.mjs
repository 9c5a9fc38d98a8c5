// Many writers at once against one after the other, in one store: what sharing a sync brings.

import { message, newEdge, newSession, plant, TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

const FAMILIES = 10;
const WRITERS = 32;
const TITLE = 'engine: full, by the number of writers';

const CASES = [
  {
    name: 'appendMessage',
    call: ({ store, sessions }, i) =>
      store.appendMessage(sessions[i % sessions.length].id, message(i), TENANT),
  },
  { name: 'createSession', call: ({ store, projectId }) => newSession(store, projectId) },
  {
    name: 'createSubSession',
    call: ({ store, sessions }, i) =>
      newEdge(store, sessions[i % sessions.length].id, sessions[(i + 1) % sessions.length].id),
  },
];

export async function compareWriters({ directory, effort, only }) {
  await runGroup(
    {
      title: TITLE,
      columns: [`${WRITERS} writers`, '1 writer'],
      ratioOf: `throughput of ${WRITERS} over that of 1`,
    },
    chosen(TITLE, CASES, only),
    ({ call }, rounds) =>
      withStores(directory, [OURS.full, OURS.full], async (stores) => {
        const contenders = [];
        for (const [i, store] of stores.entries()) {
          const { families, ...planted } = await plant(store, FAMILIES);
          const sessions = families.flatMap(({ grandchildren }) => grandchildren);
          const garden = { ...planted, sessions };
          contenders.push({ call: (n) => call(garden, n), writers: i === 0 ? WRITERS : 1 });
        }
        return alternate(contenders, rounds(effort));
      }),
    (many, one) => ratioSpread(one, many),
  );
}
