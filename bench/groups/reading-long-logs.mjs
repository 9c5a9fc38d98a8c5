// The end of a long log against the end of a short one, and a stream of a whole log against a
// plain read of the same file.

import { appendFileSync, createReadStream } from 'node:fs';
import { join } from 'node:path';
import { messageLine } from '../baselines/floor.mjs';
import { newSession, TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread, takeTurns } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

const SHORT = 100;
const STREAMED = 50_000;
const CHUNK = 10_000;
const LIMIT = 50;

export async function readLongLogs({ directory, effort, only }) {
  const { logMessages, processes } = effort;
  const ends = `reading: the last ${LIMIT} messages of ${logMessages.toLocaleString('en')}`;
  const limits = [
    { name: `loadMessages, limit ${LIMIT}`, method: 'loadMessages' },
    { name: `loadSessionMessages, limit ${LIMIT}`, method: 'loadSessionMessages' },
  ];
  const streams = `reading: all ${STREAMED.toLocaleString('en')} messages of a log`;
  const whole = [{ name: 'streamMessages' }];
  await runGroup(
    { title: ends, columns: [`of ${SHORT}`, 'of all'], ratioOf: 'long log over short log' },
    chosen(ends, limits, only),
    ({ method }, rounds) =>
      withStores(directory, [OURS.full], async ([store], own) => {
        const short = await log(store, own, SHORT);
        const long = await log(store, own, logMessages);
        const reading = ({ id }) => ({ call: () => store[method](id, TENANT, { limit: LIMIT }) });
        return alternate([reading(short), reading(long)], rounds(effort));
      }),
    (short, long) => ratioSpread(long, short),
  );
  await runGroup(
    {
      title: streams,
      columns: ['ours', 'plain read'],
      ratioOf: 'ours over a plain read and JSON.parse of each line',
      unit: 'µs',
    },
    chosen(streams, whole, only),
    () =>
      withStores(directory, [OURS.full], async ([store], own) => {
        const session = await log(store, own, STREAMED);
        const file = fileOf(own, session);
        return takeTurns(
          [
            timed(() => count(store.streamMessages(session.id, TENANT))),
            timed(() => plainRead(file)),
          ],
          processes,
        );
      }),
    ratioSpread,
  );
}

/** A session whose log has this many messages, all alike. */
async function log(store, own, messages) {
  const project = await store.createProject({ tenantId: TENANT, name: 'logs' }, TENANT);
  const session = await newSession(store, project.id);
  const line = messageLine(session.id);
  for (let written = 0; written < messages; written += CHUNK) {
    appendFileSync(fileOf(own, session), line.repeat(Math.min(CHUNK, messages - written)));
  }
  return session;
}

function fileOf(own, { projectId, id }) {
  return join(own, '0', 'projects', projectId, 'sessions', id, 'messages.jsonl');
}

function timed(read) {
  return async () => {
    const start = process.hrtime.bigint();
    const messages = await read();
    if (messages !== STREAMED) throw new Error(`${messages} messages were read`);
    return Number(process.hrtime.bigint() - start) / 1e3;
  };
}

async function count(stream) {
  let messages = 0;
  for await (const { message } of stream) if (message !== undefined) messages += 1;
  return messages;
}

// In large pieces, and in memory that does not grow with the log, as a stream is.
async function plainRead(file) {
  let messages = 0;
  let rest = '';
  const pieces = createReadStream(file, { encoding: 'utf8', highWaterMark: 512 << 10 });
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const line of lines) if (JSON.parse(line).message !== undefined) messages += 1;
  }
  return messages;
}
