import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ExtendedSessionStore, MessageId } from 'namzu-native';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RemoteStore } from '../processes/support/remote-store.js';
import { seeded, sleep } from '../processes/support/seed.js';
import { childScript } from '../support/child.js';
import { sessionDir } from '../support/paths.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';

const KILLS = 8;
const KEYS = 40;

/** A process that is killed as soon as a file of the root has the line of an append. */
async function appendAndVanish(root: string, session: string, key: string, file: string) {
  const args = [childScript('append-and-vanish.mjs'), root, session, ALPHA, key, file];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

describe.skipIf(process.platform === 'win32')('an append that is sent again after a kill', () => {
  it('is there once, when the kill came between the commit and the answer', async () => {
    const root = tempRoot();
    const session = await (await World.in(new DiskSessionStore({ rootDir: root }))).session();
    const places = [
      join(root, '.store', 'frames'),
      join(root, sessionDir(session), 'messages.jsonl'),
    ];
    for (let n = 0; n < 10; n += 1) {
      const key = `key-${n}`;
      await appendAndVanish(root, session.id, key, places[n % 2] as string);
      const store = new DiskSessionStore({ rootDir: root });
      const send = () =>
        store.appendMessage(session.id, { role: 'user', content: key }, ALPHA, {
          idempotencyKey: key,
        });
      const ids = [await send(), await send()];
      const stored = await store.loadSessionMessages(session.id, ALPHA);
      expect(stored).toHaveLength(n + 1);
      expect(ids).toStrictEqual([stored[n]?.id, stored[n]?.id]);
      await store.close();
    }
  }, 60_000);

  it('is there once, whenever the kill came', async () => {
    const { random } = seeded('sent twice');
    const root = tempRoot();
    const store = new DiskSessionStore({ rootDir: root });
    const world = await World.in(store);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { id } = await world.session();
      const keys = Array.from({ length: KEYS }, (_, n) => `${kill}.${n}`);
      const send = (to: ExtendedSessionStore, key: string) =>
        to.appendMessage(id, { role: 'user', content: key }, ALPHA, { idempotencyKey: key });
      const remote = await RemoteStore.start(root);
      const answered = new Map<string, MessageId>();
      const sending = keys.map(async (key) => {
        const sent = await send(remote.store as ExtendedSessionStore, key).catch(() => undefined);
        if (sent !== undefined) answered.set(key, sent);
      });
      await sleep(random.below(12));
      await remote.kill();
      await Promise.all(sending);
      for (const key of keys) {
        const again = await send(store, key);
        expect(answered.get(key) ?? again).toBe(again);
      }
      const contents = (await store.loadMessages(id, ALPHA)).map(({ content }) => content);
      expect([...contents].sort()).toStrictEqual([...keys].sort());
    }
  }, 60_000);
});
