import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { MessageId } from 'namzu-native';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { runChild } from '../support/child.js';
import { copyOfRecords } from '../support/temp-root.js';
import { ALPHA } from '../support/world.js';
import { engineFile } from './engine-files.js';
import { answersOf, generatedRoot } from './generated-root.js';

const SESSIONS = 30;

/** Changes one byte of an engine's file, at a part of its length, or at an offset. */
const garble = (name: string, at: (length: number) => number) => (root: string) => {
  const path = engineFile(root, name);
  const bytes = readFileSync(path);
  const offset = at(bytes.length);
  bytes[offset] = (bytes[offset] ?? 0) ^ 0x41;
  writeFileSync(path, bytes);
};

const byteOf = (name: string, offset: number): [string, (root: string) => void] => [
  `byte ${offset} of ${name} changed`,
  garble(name, () => offset),
];

const remove = (name: string): [string, (root: string) => void] => [
  `${name} missing`,
  (root) => rmSync(engineFile(root, name)),
];

const empty = (name: string): [string, (root: string) => void] => [
  `${name} emptied`,
  (root) => writeFileSync(engineFile(root, name), ''),
];

/** Takes whole lines, or a part of one, from the end of the index. */
const cut = (lines: number, bytes: number) => (root: string) => {
  const text = readFileSync(engineFile(root, 'index'), 'utf8');
  const kept = text.trimEnd().split('\n').slice(0, -lines).join('\n');
  writeFileSync(engineFile(root, 'index'), text.slice(0, kept.length + 1 + bytes));
};

const DAMAGE: readonly [string, (root: string) => void][] = [
  ...[3, 20, 30].map((offset) => byteOf('index', offset)),
  ['a byte in the middle of index changed', garble('index', (length) => length >> 1)],
  ['the last byte of index changed', garble('index', (length) => length - 1)],
  ['the last line of index cut off', cut(1, 0)],
  ['the last three lines of index cut off, and half of one', cut(3, 20)],
  ...[3, 9, 41].map((offset) => byteOf('progress', offset)),
  ...[3, 13, 21, 37].map((offset) => byteOf('frames', offset)),
  ...['index', 'lock', 'frames', 'progress'].flatMap((name) => [remove(name), empty(name)]),
];

describe.each([
  ['closed', ['close']],
  ['left open when its process ended', []],
])('the engine’s files of a root that was %s', (_, close) => {
  it.each(DAMAGE)('%s: every answer stays right', async (_, damage) => {
    const root = await generatedRoot(SESSIONS);
    await runChild('../engine/children/change.mjs', [root.dir, ...close]);
    const records = { ...root, dir: copyOfRecords(root.dir) };
    const expected = await answersOf(new DiskSessionStore({ rootDir: records.dir }), records);
    damage(root.dir);

    const store = new DiskSessionStore({ rootDir: root.dir });
    expect(await answersOf(store, root)).toStrictEqual(expected);
    const { id: projectId } = await store.createProject({ tenantId: ALPHA, name: 'x' }, ALPHA);
    const session = await store.createSession({ projectId, currentActor: null }, ALPHA);
    const ids: MessageId[] = [];
    for (const content of ['one', 'two']) {
      ids.push(await store.appendMessage(session.id, { role: 'user', content }, ALPHA));
    }
    expect(await answersOf(store, root)).toStrictEqual(expected);
    await store.close();

    const later = new DiskSessionStore({ rootDir: root.dir });
    const messages = await later.loadSessionMessages(session.id, ALPHA);
    expect(messages.map(({ id }) => id)).toStrictEqual(ids);
    expect(await later.getSession(session.id, ALPHA)).toStrictEqual(session);
    expect(await answersOf(later, root)).toStrictEqual(expected);
  });
});

describe('an index that is damaged', () => {
  it.each([
    ['in the middle', garble('index', (length) => length >> 1)],
    ['by its absence', remove('index')[1]],
  ])('%s costs one walk through the root, not one a call', async (_, damage) => {
    const { dir } = await generatedRoot(SESSIONS);
    await runChild('../engine/children/change.mjs', [dir, 'close']);
    damage(dir);
    let walks = 0;
    const onProgress = ({ done }: { done: number }) => {
      walks += done === 0 ? 1 : 0;
    };
    const store = new DiskSessionStore({ rootDir: dir, onProgress });
    for (let i = 0; i < 20; i += 1) await store.getAncestry('ses_000025', ALPHA);
    for (let i = 0; i < 20; i += 1) {
      await store.createProject({ tenantId: ALPHA, name: 'x' }, ALPHA);
      await store.getAncestry('ses_000025', ALPHA);
    }
    await vi.waitFor(() => expect(walks).toBeGreaterThan(0));
    expect(walks).toBeLessThanOrEqual(2);
  });
});
