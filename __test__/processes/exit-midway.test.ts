import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { script } from './support/script.js';

describe.each(['full', 'relaxed'])('process.exit() amid appends, durability %s', (durability) => {
  it.each([0, 1, 300, 700])('ends after %i of them, each whole or absent', async (enough) => {
    const root = tempRoot();
    const store = new DiskSessionStore({ rootDir: root });
    const { id } = await (await World.in(store)).session();
    const args = [script('exit-midway.mjs'), root, durability, id, `${enough}`];
    // A process that does not end runs into the time limit of the test; a crash rejects.
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const acknowledged = stdout.split('\n').slice(0, -1);
    expect(acknowledged).toHaveLength(enough);

    const stored = await store.loadSessionMessages(id, ALPHA);
    expect(stored.map((one) => one.id)).toStrictEqual(
      expect.arrayContaining(acknowledged as unknown[]),
    );
    expect(new Set(stored.map((one) => one.id)).size).toBe(stored.length);
    for (const { message } of stored) {
      expect(message.content).toMatch(/^\d+ \.+$/);
      expect(message.content).toHaveLength(1_000);
    }
    const numbers = stored.map(({ message }) => Number.parseInt(message.content ?? '', 10));
    expect(numbers, 'in the order of the calls').toStrictEqual(numbers.toSorted((a, b) => a - b));
    await store.appendMessage(id, { role: 'user', content: 'afterwards' }, ALPHA);
    expect(await store.loadMessages(id, ALPHA)).toHaveLength(stored.length + 1);
  });
});
