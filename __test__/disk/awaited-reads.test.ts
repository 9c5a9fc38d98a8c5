import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diskWorld } from '../support/disk-world.js';
import { ALPHA } from '../support/world.js';

// What is in the system's memory is read at once, without a way to another thread.

it('lets timers fire while nothing but reads is awaited', async () => {
  const { world } = await diskWorld();
  const [session] = await world.sessions(1);
  if (session === undefined) throw new Error('a session was asked for');
  let fired = false;
  setTimeout(() => {
    fired = true;
  }, 1);
  for (let reads = 0; !fired; reads += 1) {
    expect(reads).toBeLessThan(1_000_000);
    await world.store.getSession(session.id, ALPHA);
  }
});

it('sees at the next read what somebody changed in the files', async () => {
  const { world, root } = await diskWorld();
  const [session] = await world.sessions(1);
  if (session === undefined) throw new Error('a session was asked for');
  const folder = join(root, 'projects', world.project.id, 'sessions', session.id);
  const file = join(folder, 'session.json');
  await world.store.appendMessage(session.id, { role: 'user', content: 'once' }, ALPHA);
  for (let round = 0; round < 100; round += 1) {
    const status = round % 2 === 0 ? 'active' : 'idle';
    const text = readFileSync(file, 'utf8').replace(/"status": "\w+"/, `"status": "${status}"`);
    writeFileSync(file, text);
    expect(await world.store.getSession(session.id, ALPHA)).toMatchObject({ status });
    const log = join(folder, 'messages.jsonl');
    const line = readFileSync(log, 'utf8').split('\n')[0];
    appendFileSync(log, `${line}\n`);
    expect(await world.store.loadMessages(session.id, ALPHA)).toHaveLength(round + 2);
  }
});
