import { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { said } from '../extensions/stores.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';

/** Longer than what one step of a read takes in. */
const CONTENT = 'x'.repeat(700_000);
const MESSAGES = 8;
const ROUNDS = 30;

/** How many messages a read gets, or the error that it rejects with. */
async function outcome(read: Promise<number>): Promise<number | string> {
  return read.catch((error: Error) => error.name);
}

async function streamed(store: DiskSessionStore, id: never): Promise<number> {
  let count = 0;
  for await (const _ of store.streamMessages(id, ALPHA)) count += 1;
  return count;
}

it('reads all messages or none of a session that is deleted meanwhile', async () => {
  const store = new DiskSessionStore({ rootDir: tempRoot(), durability: 'relaxed' });
  const world = await World.in(store);
  const counts = new Set<number | string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await world.session();
    const messages = Array.from({ length: MESSAGES }, () => said(CONTENT));
    await store.appendMessages(id, messages, ALPHA);
    const reads = [
      outcome(store.loadMessages(id, ALPHA).then((list) => list.length)),
      outcome(store.loadMessages(id, ALPHA, { limit: MESSAGES }).then((list) => list.length)),
      outcome(store.countMessages(id, ALPHA)),
      outcome(streamed(store, id as never)),
    ];
    for (let turn = 0; turn < round % 6; turn += 1) await new Promise((done) => setImmediate(done));
    await store.deleteSession(id, ALPHA);
    for (const count of await Promise.all(reads)) counts.add(count);
  }
  expect([...counts].filter((count) => count !== 0 && count !== MESSAGES)).toStrictEqual([]);
  await store.close();
}, 120_000);
