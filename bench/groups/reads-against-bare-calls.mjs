// What our stores do for an answer, against what nobody can do without: the file's bytes and
// their parsing; for a memory store, one call into native code and the parsing of what it answers.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bareCalls } from '../baselines/floor.mjs';
import { message, newSession, plant, TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread, uncapped } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

const MESSAGES = 1000;

const getSession = (store, { id }) => ({ call: () => store.getSession(id, TENANT) });
const loadMessages = (store, { id }) => ({ call: () => store.loadMessages(id, TENANT) });
const lines = (text) => {
  const parsed = text.split('\n').filter((line) => line !== '');
  return parsed.map((line) => JSON.parse(line).message);
};

const GROUPS = [
  {
    title: 'disk store: reads, against bare calls',
    open: OURS.relaxed,
    cases: [
      {
        name: 'getSession : readFileSync, parse',
        ours: getSession,
        bare: (folder) => ({
          call: async () => JSON.parse(readFileSync(join(folder, 'session.json'), 'utf8')),
        }),
      },
      {
        name: 'getSession : await readFile, parse',
        ours: getSession,
        bare: (folder) => ({
          call: async () => JSON.parse(await readFile(join(folder, 'session.json'), 'utf8')),
        }),
      },
      {
        name: 'loadMessages (1,000) : readFileSync, parse',
        ours: loadMessages,
        bare: (folder) => ({
          call: async () => lines(readFileSync(join(folder, 'messages.jsonl'), 'utf8')),
        }),
      },
    ],
  },
  {
    title: 'memory store: reads, against bare calls',
    open: OURS.memory,
    cases: [
      { name: 'getSession : a native call', ours: getSession, bare: () => nativeCall() },
      {
        name: 'getSession : a native call, parse',
        ours: getSession,
        bare: (_, session) => nativeCall(() => JSON.parse(session)),
      },
      {
        name: 'loadMessages (1,000) : parse',
        ours: loadMessages,
        bare: (_, __, messages) => ({ call: async () => JSON.parse(messages) }),
      },
    ],
  },
];

/** A native call, and what is done then. */
function nativeCall(then) {
  const { call } = bareCalls.nativeCall();
  return {
    call: async () => {
      call();
      return then?.();
    },
  };
}

export async function compareReadsWithBareCalls({ directory, effort, only }) {
  for (const { title, open, cases } of GROUPS) {
    await runGroup(
      { title, columns: ['ours', 'bare calls'], ratioOf: 'ours over bare calls' },
      chosen(title, cases, only),
      ({ ours, bare }, rounds) =>
        withStores(directory, [open], async ([store], own) => {
          const { projectId } = await plant(store, 1);
          const session = await newSession(store, projectId);
          for (let i = 0; i < MESSAGES; i += 1) {
            await store.appendMessage(session.id, message(i), TENANT);
          }
          const folder = join(own, '0', 'projects', projectId, 'sessions', session.id);
          const texts = [session, await store.loadMessages(session.id, TENANT)];
          const contender = bare(folder, ...texts.map((value) => JSON.stringify(value)));
          return alternate([ours(store, session), contender], uncapped(rounds(effort)));
        }),
      ratioSpread,
    );
  }
}
