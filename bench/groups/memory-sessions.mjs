// Reading sessions from a memory store that holds more of them than it keeps copies of, and
// sessions that were just changed: what `getSession` costs besides what is asked for over and over.

import { MAP } from '../baselines/index.mjs';
import { newSession, TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread, uncapped } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

/** Sessions of the store whose sessions are changed and read in turns. */
const CHANGED = 100;

const reading = (sessions) => ({
  name: `getSession, ${sessions.toLocaleString('en')} sessions in turn`,
  sessions,
  calls: (store, all) => ({ call: (i) => store.getSession(all[i % all.length].id, TENANT) }),
});

const CHANGING = {
  name: 'updateSession, then getSession',
  sessions: CHANGED,
  calls: (store, all) => ({
    call: async (i) => {
      const session = all[i % all.length];
      await store.updateSession(session, TENANT);
      return store.getSession(session.id, TENANT);
    },
  }),
};

export async function compareMemorySessions({ directory, effort, only }) {
  const title = 'memory store, getSession beyond its copies: against the plain Map store';
  await runGroup(
    { title, columns: ['ours', 'baseline'], ratioOf: 'baseline over ours' },
    chosen(title, [...effort.memorySessions.map(reading), CHANGING], only),
    ({ sessions, calls }, rounds) =>
      withStores(directory, [OURS.memory, MAP.open], async (stores) => {
        const contenders = [];
        for (const store of stores) contenders.push(calls(store, await fill(store, sessions)));
        return alternate(contenders, uncapped(rounds(effort)));
      }),
    (mine, theirs) => ratioSpread(theirs, mine),
  );
}

async function fill(store, sessions) {
  const { id } = await store.createProject({ tenantId: TENANT, name: 'many' }, TENANT);
  const all = [];
  while (all.length < sessions) all.push(await newSession(store, id));
  return all;
}
