import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { runChild } from '../support/child.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';

describe('several processes', () => {
  it('never split a batch, and append once for a key', async () => {
    const rootDir = tempRoot();
    const store = new DiskSessionStore({ rootDir });
    const session = await (await World.in(store)).session();
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
    const run = (name: string) =>
      runChild('append-batches.mjs', [rootDir, session.id, ALPHA, name, '20']);
    await Promise.all(names.map(run));
    const contents = (await store.loadMessages(session.id, ALPHA)).map(({ content }) => content);
    expect(contents).toHaveLength(8 * 20 * 3);
    for (let at = 0; at < contents.length; at += 3) {
      const batch = contents[at]?.slice(0, -2);
      expect(contents.slice(at, at + 3)).toStrictEqual(['a', 'b', 'c'].map((p) => `${batch}.${p}`));
    }
    for (const name of names) {
      const own = contents.filter((content) => content?.startsWith(`${name}.`));
      const order = Array.from({ length: 20 }, (_, n) =>
        ['a', 'b', 'c'].map((p) => `${name}.${n}.${p}`),
      );
      expect(own).toStrictEqual(order.flat());
    }
  });

  it('find a key that a process used before it was killed', async () => {
    const rootDir = tempRoot();
    const store = new DiskSessionStore({ rootDir });
    const session = await (await World.in(store)).session();
    await runChild('append-batches.mjs', [rootDir, session.id, ALPHA, 'p', '1']);
    await runChild('append-batches.mjs', [rootDir, session.id, ALPHA, 'p', '1']);
    expect(await store.countMessages(session.id, ALPHA)).toBe(3);
  });
});
