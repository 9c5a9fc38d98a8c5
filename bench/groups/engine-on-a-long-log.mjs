// Adding a message to a log of a million against adding one to a log that starts empty.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageLine } from '../baselines/floor.mjs';
import { message, newSession, TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

const CHUNK = 10_000;

export async function appendToLongLogs({ directory, effort, only }) {
  const { logMessages } = effort;
  const title = `engine: a log of ${logMessages.toLocaleString('en')} messages`;
  const cases = [
    { name: 'appendMessage, full', open: OURS.full },
    { name: 'appendMessage, relaxed', open: OURS.relaxed },
  ];
  await runGroup(
    { title, columns: ['empty', 'long'], ratioOf: 'long log over empty log' },
    chosen(title, cases, only),
    ({ open }, rounds) =>
      withStores(directory, [open], async ([store], own) => {
        const project = await store.createProject({ tenantId: TENANT, name: 'logs' }, TENANT);
        const empty = await newSession(store, project.id);
        const long = await newSession(store, project.id);
        const folder = join(own, '0', 'projects', project.id, 'sessions', long.id);
        const chunk = messageLine(long.id).repeat(CHUNK);
        for (let written = 0; written < logMessages; written += CHUNK) {
          appendFileSync(join(folder, 'messages.jsonl'), chunk);
        }
        const adding = ({ id }) => ({ call: (i) => store.appendMessage(id, message(i), TENANT) });
        return alternate([adding(empty), adding(long)], rounds(effort));
      }),
    (empty, long) => ratioSpread(long, empty),
  );
}
