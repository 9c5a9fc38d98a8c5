import { spawnSync } from 'node:child_process';
import {
  DiskSessionStore,
  type Durability,
  InvalidArgumentError,
  type SessionId,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { childScript } from '../support/child.js';
import { copyOfRecords, tempRoot } from '../support/temp-root.js';
import { namesBelow } from '../support/tree.js';
import { ALPHA, World } from '../support/world.js';

const MODES: readonly Durability[] = ['full', 'relaxed'];
const BAD = [null, '', 'Full', 'none', 'relaxed ', 0, 1, true, {}, [], ['full']];

describe.each(BAD)('the durability %j', (durability) => {
  it('is refused when the store is made, which makes no file', async () => {
    const rootDir = tempRoot();
    const open = () => new DiskSessionStore({ rootDir, durability: durability as never });
    expect(open).toThrow(InvalidArgumentError);
    expect(open).toThrow(/`durability`.*'full' or 'relaxed'/);
    await expect(namesBelow(rootDir)).rejects.toThrow('ENOENT');
  });
});

describe.each([...MODES, undefined])('the durability %s', (durability) => {
  const open = (rootDir: string) =>
    new DiskSessionStore({ rootDir, ...(durability === undefined ? {} : { durability }) });

  it('is accepted; what was written is read, and by a store that comes later', async () => {
    const root = tempRoot();
    const store = open(root);
    const world = await World.in(store);
    const session = await world.session();
    await store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
    await store.recordSummary(world.summary(session), ALPHA);
    await store.flush();
    const later = open(copyOfRecords(root));
    for (const one of [store, later]) {
      expect(await one.loadMessages(session.id, ALPHA)).toStrictEqual([
        { role: 'user', content: 'x' },
      ]);
      expect(await one.getSummary(session.id, ALPHA)).toMatchObject({ sessionRef: session.id });
    }
  });

  it('keeps the order of calls that are not awaited', async () => {
    const store = open(tempRoot());
    const world = await World.in(store);
    const { id } = await world.session();
    const contents = Array.from({ length: 200 }, (_, i) => `${i}`);
    await Promise.all(
      contents.map((content) => store.appendMessage(id, { role: 'user', content }, ALPHA)),
    );
    const stored = await store.loadMessages(id, ALPHA);
    expect(stored.map(({ content }) => content)).toStrictEqual(contents);
    await store.close();
  });

  it('keeps what was answered when the process is killed right afterwards', {
    skip: process.platform === 'win32',
  }, async () => {
    const root = tempRoot();
    const args = [root, ...(durability === undefined ? [] : [durability])];
    const script = childScript('../engine/children/append-and-die.mjs');
    const { signal, stdout } = spawnSync(process.execPath, [script, ...args]);
    expect(signal).toBe('SIGKILL');
    const answered = JSON.parse(stdout.toString()) as { session: SessionId; ids: string[] };
    const store = open(root);
    const stored = await store.loadSessionMessages(answered.session, ALPHA);
    expect(stored.map(({ id }) => id)).toStrictEqual(answered.ids);
    expect(answered.ids).toHaveLength(50);
  });
});

describe('stores of both durabilities on one root', () => {
  it('see each other’s writes at once, and close in any order', async () => {
    const root = tempRoot();
    const [full, relaxed] = MODES.map(
      (durability) => new DiskSessionStore({ rootDir: root, durability }),
    ) as [DiskSessionStore, DiskSessionStore];
    const { id } = await (await World.in(full)).session();
    for (let i = 0; i < 20; i += 1) {
      const [writer, reader] = i % 2 === 0 ? [full, relaxed] : [relaxed, full];
      await writer.appendMessage(id, { role: 'user', content: `${i}` }, ALPHA);
      expect(await reader.loadMessages(id, ALPHA)).toHaveLength(i + 1);
    }
    await relaxed.close();
    await full.appendMessage(id, { role: 'user', content: 'last' }, ALPHA);
    await full.close();
    const later = new DiskSessionStore({ rootDir: root });
    expect(await later.loadMessages(id, ALPHA)).toHaveLength(21);
  });

  it('write the same records', async () => {
    const shapes = await Promise.all(
      MODES.map(async (durability) => {
        const root = tempRoot();
        const store = new DiskSessionStore({ rootDir: root, durability });
        const world = await World.in(store);
        const [a, b] = await world.sessions(2);
        if (a && b) await world.edge(a, b);
        await store.close();
        const names = await namesBelow(root);
        return names.map((name) => name.replace(/_[0-9a-z]{12}/g, '_id')).sort();
      }),
    );
    expect(shapes[0]).toStrictEqual(shapes[1]);
  });
});
