import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  CorruptRecordError,
  DiskSessionStore,
  type ExtendedSessionStore,
  InMemorySessionStore,
  type Message,
  type SessionStore,
  verify,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { diskWorld, reopened } from '../support/disk-world.js';
import { messagesFile, projectFile, sessionFile, summaryFile } from '../support/paths.js';
import { tempRoot } from '../support/temp-root.js';
import { readText, writeText } from '../support/tree.js';
import { ALPHA, World } from '../support/world.js';

const DEPTH = 100_000;

/** Deeper than `JSON.stringify` itself goes on some platforms is not for messages. */
const STRINGIFIED_DEPTH = 1_000;

const deepText = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`;

const manyKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, i]));

/** How deep a value is; not by recursion, which would not get that far. */
function depthOf(value: unknown): number {
  let depth = 0;
  let at = value;
  while (typeof at === 'object' && at !== null) {
    at = Object.values(at)[0];
    depth += 1;
  }
  return depth;
}

const withParsed = (text: string) => JSON.parse(`{"role":"user","content":"","x":${text}}`);

/** Messages that a reader that interprets them could stumble over. */
const MESSAGES: readonly [string, () => object][] = [
  ['deep', () => withParsed(deepText(STRINGIFIED_DEPTH))],
  ['of 10,000 keys', () => ({ role: 'user', content: '', x: manyKeys(10_000) })],
  ['of 10,000 keys of its own', () => ({ role: 'user', content: '', ...manyKeys(10_000) })],
  ['with huge numbers', () => withParsed('[1e308,-1e308,5e-324,-0,9007199254740993,1e999]')],
  ['with an own key __proto__', () => withParsed('{"__proto__":{"isAdmin":true}}')],
  ['that has an own key __proto__ itself', () => JSON.parse('{"content":"","__proto__":{"b":1}}')],
  ['with constructors', () => withParsed('{"constructor":{"prototype":{"polluted":1}}}')],
  ['with lone surrogates', () => ({ content: '\ud800 \udc00', '\udfff': '\ud83d' })],
  ['with a key that is empty', () => ({ content: '', '': { '': [[[]]] } })],
  [
    'with line ends of all kinds',
    () => ({ content: '\n\r\u2028\u2029\u0085\u0000', '\n': '\r\n' }),
  ],
  [
    'that looks like an envelope',
    () => ({ id: 'msg_x', tenantId: 'tnt_beta', recordKind: 'replacement', messages: [] }),
  ],
];

const STORES: readonly [string, () => SessionStore][] = [
  ['disk', () => new DiskSessionStore({ rootDir: tempRoot() })],
  ['memory', () => new InMemorySessionStore()],
];

describe.each(STORES)('a message in a %s store', (_, open) => {
  it.each(MESSAGES)('%s comes back as it went in', async (_title, make) => {
    const store = open();
    const { id } = await (await World.in(store)).session();
    const expected = JSON.stringify(make());
    await store.appendMessage(id, make() as Message, ALPHA);
    await store.appendMessage(id, { role: 'user', content: 'next' }, ALPHA);
    const loaded = await store.loadMessages(id, ALPHA);
    expect(loaded.map((message) => JSON.stringify(message))).toEqual([
      expected,
      '{"role":"user","content":"next"}',
    ]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it.each([2_000, 5_000, DEPTH])(
    '%i levels deep rejects, and nothing is appended',
    async (depth) => {
      const store = open();
      const { id } = await (await World.in(store)).session();
      let deep: object = {};
      for (let i = 1; i < depth; i += 1) deep = { deep };
      const message = { role: 'user', content: '"{[', deep } as Message;
      const answer = store.appendMessage(id, message, ALPHA);
      await expect(answer).rejects.toMatchObject({
        name: 'InvalidArgumentError',
        details: { argument: 'message' },
      });
      const both = (store as ExtendedSessionStore).appendMessages(
        id,
        [{ role: 'user', content: '' }, message],
        ALPHA,
      );
      await expect(both).rejects.toMatchObject({ details: { argument: 'messages.1' } });
      expect(await store.loadMessages(id, ALPHA)).toEqual([]);
    },
  );

  it('1,999 levels below it, and brackets in its text, are appended', async () => {
    const store = open();
    const { id } = await (await World.in(store)).session();
    let deep: object = {};
    for (let i = 1; i < 1_999; i += 1) deep = { deep };
    const content = `${'\\"{['.repeat(5_000)}\\`;
    await store.appendMessage(id, { role: 'user', content, deep } as Message, ALPHA);
    const [message] = await store.loadMessages(id, ALPHA);
    expect(message?.content).toBe(content);
    expect(JSON.stringify(message)).toBe(JSON.stringify({ role: 'user', content, deep }));
  });
});

describe('a log line that was planted', () => {
  const planted = async (message: string) => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    await world.store.appendMessage(session.id, { role: 'user', content: 'first' }, ALPHA);
    const file = messagesFile(session);
    const { store, root: copy } = await reopened(root, async (into) => {
      const line = (await readText(into, file)).replace(
        /"message":\{.*\},"at"/,
        () => `"message":${message},"at"`,
      );
      await writeText(into, file, line);
    });
    return { store, copy, session };
  };

  it(`${DEPTH} deep reads back as deep`, async () => {
    const { store, copy, session } = await planted(`{"content":${deepText(DEPTH)}}`);
    const [message] = await store.loadMessages(session.id, ALPHA);
    expect(depthOf(message)).toBe(DEPTH + 1);
    expect(await verify(copy)).toEqual([]);
    await store.appendMessage(session.id, { role: 'user', content: 'more' }, ALPHA);
    expect(await store.loadMessages(session.id, ALPHA)).toHaveLength(2);
  });

  it('with a repeated key reads as JSON.parse reads it', async () => {
    const { store, session } = await planted('{"content":"a","content":"b","__proto__":{"c":1}}');
    const [message] = await store.loadMessages(session.id, ALPHA);
    expect(JSON.stringify(message)).toBe('{"content":"b","__proto__":{"c":1}}');
  });

  it('with a number of 100,000 digits reads as JSON.parse reads it', async () => {
    const { store, session } = await planted(`{"content":${'9'.repeat(100_000)},"x":1e-99999}`);
    const [message] = await store.loadMessages(session.id, ALPHA);
    expect(message).toEqual({ content: Number.POSITIVE_INFINITY, x: 0 });
  });

  it.each([
    ['cut short in its depth', `{"content":${'['.repeat(DEPTH)}`],
    ['closed too often', `{"content":${deepText(DEPTH)}]}`],
    ['with a bare surrogate escape that is none', '{"content":"\\uZZZZ"}'],
    ['of no object', deepText(DEPTH).replace(/^\{"a":/, '')],
  ])('%s is an error that names its line', async (_title, message) => {
    const { store, copy, session } = await planted(message);
    const answer = store.loadMessages(session.id, ALPHA);
    await expect(answer).rejects.toMatchObject({
      name: 'CorruptRecordError',
      details: { line: 1 },
    });
    expect((await verify(copy)).map((finding) => finding.path)).toContain(messagesFile(session));
  });
});

describe('a record that was planted', () => {
  const KEYS: readonly [string, string][] = [
    [`a key ${DEPTH} deep`, `"unknown": ${deepText(DEPTH)}`],
    ['10,000 keys more', JSON.stringify(manyKeys(10_000)).slice(1, -1)],
    ['10,000 times the same key', Array(10_000).fill('"same": {"n": [1]}').join(',')],
    ['__proto__', '"__proto__": {"isAdmin": true}, "constructor": {"prototype": null}'],
    ['huge numbers', `"unknown": [1e999, -1e999, ${'9'.repeat(100_000)}, 1e-99999]`],
    ['lone surrogates', '"unknown": ["\\ud800", "\\udc00\\ud800"]'],
  ];

  it.each(KEYS)('with %s reads, and keeps it when it is written', async (_title, more) => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    await world.store.recordSummary(world.summary(session), ALPHA);
    const { store, root: copy } = await reopened(root, async (into) => {
      for (const file of [
        projectFile(world.project.id),
        sessionFile(session),
        summaryFile(session),
      ]) {
        await writeText(
          into,
          file,
          (await readText(into, file)).replace(/\n\}$/, () => `,\n${more}\n}`),
        );
      }
    });
    const read = await store.getSession(session.id, ALPHA);
    expect(read).toEqual(await world.store.getSession(session.id, ALPHA));
    expect(await store.getProject(world.project.id, ALPHA)).toEqual(world.project);
    expect(await store.getSummary(session.id, ALPHA)).not.toBeNull();
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    await store.updateSession({ ...session, ownerVersion: 7 }, ALPHA);
    await (store as DiskSessionStore).close();
    const unknownOf = (text: string) => JSON.stringify(Object.entries(JSON.parse(text)).slice(10));
    const written = await readText(copy, sessionFile(session));
    if (!more.includes('{"a":[')) expect(unknownOf(written)).toBe(unknownOf(`{${KEPT}${more}}`));
    expect(depthOf(JSON.parse(written).unknown)).toBe(depthOf(JSON.parse(`{${more}}`).unknown));
    expect(written.length, 'the text does not grow with the square of its depth').toBeLessThan(
      60_000_000,
    );
    expect(await verify(copy)).toEqual([]);
  });

  /** As many keys as a session has of its own. */
  const KEPT = Array.from({ length: 10 }, (_, i) => `"_${i}": 0,`).join('');

  it('with an owner version that no number can hold is damaged', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    for (const version of ['1e999', '-1', '9007199254740993', '1.5', '"0"', '1e3']) {
      const { store } = await reopened(root, async (into) => {
        const text = await readText(into, sessionFile(session));
        await writeText(
          into,
          sessionFile(session),
          text.replace('"ownerVersion": 0', `"ownerVersion": ${version}`),
        );
      });
      await expect(store.getSession(session.id, ALPHA), version).rejects.toBeInstanceOf(
        CorruptRecordError,
      );
    }
  });
});

describe('a journal and an index that were planted', () => {
  /** Frames and lines whose lengths are what hurts. */
  const HOSTILE: readonly [string, Buffer][] = [
    ['of depth', Buffer.from('['.repeat(DEPTH))],
    ['of 0xff', Buffer.alloc(300_000, 0xff)],
    ['of NUL', Buffer.alloc(300_000)],
    ['of lengths of 4 GiB', Buffer.concat([Buffer.alloc(64), Buffer.alloc(64, 'ff00', 'hex')])],
  ];

  it.each(HOSTILE)('%s are made anew', async (_title, bytes) => {
    for (const name of ['frames', 'index', 'progress']) {
      const { world, root } = await diskWorld();
      const session = await world.session();
      await (world.store as DiskSessionStore).close();
      const { writeFile } = await import('node:fs/promises');
      await writeFile(join(root, '.store', name), bytes);
      const store = new DiskSessionStore({ rootDir: root });
      expect(await store.getSession(session.id, ALPHA), name).toEqual(session);
      // Only the index tells whose child a session is: whoever asks finds it broken.
      expect(await store.getAncestry(session.id, ALPHA), name).toEqual([session.id]);
      await store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
      await store.createSession({ projectId: world.project.id, currentActor: null }, ALPHA);
      expect(await store.loadMessages(session.id, ALPHA)).toHaveLength(1);
      await store.close();
      // What should be a redo log and is none may be a person's file: it is kept.
      const isKept = name === 'frames' && bytes.some((byte) => byte !== 0);
      const salvaged = { kind: 'salvaged', detail: expect.stringContaining('redo log') };
      const expected = isKept ? [expect.objectContaining(salvaged)] : [];
      expect(await verify(root), name).toEqual(expected);
      rmSync(root, { recursive: true });
    }
  });
});
