import type { Session } from 'namzu-native';
import { CorruptRecordError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { diskWorld, reopened } from '../support/disk-world.js';
import { messagesFile } from '../support/paths.js';
import { rejectionOf } from '../support/rejection.js';
import { readText, writeText } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

/** A root whose session has a log of these lines, each given the three whole ones to choose from. */
async function withLines(change: (lines: readonly string[]) => (string | Buffer)[]) {
  const { world, root } = await diskWorld();
  const session = await world.session();
  const sibling = await world.session();
  for (const content of ['one', 'two', 'three']) {
    await world.store.appendMessage(session.id, { role: 'user', content }, ALPHA);
    await world.store.appendMessage(sibling.id, { role: 'user', content }, ALPHA);
  }
  const lines = (await readText(root, messagesFile(session))).split('\n').slice(0, -1);
  const bytes = change(lines).flatMap((line) => [Buffer.from(line as string), Buffer.from('\n')]);
  const log = Buffer.concat(bytes);
  const opened = await reopened(root, (copy) => writeText(copy, messagesFile(session), log));
  return { ...opened, session, sibling };
}

async function expectBrokenLine(
  promise: Promise<unknown>,
  session: Session,
  line: number,
): Promise<void> {
  const error = await rejectionOf(promise, CorruptRecordError);
  const path = messagesFile(session);
  expect(error.details).toStrictEqual({ path, line, reason: expect.any(String) });
  expect(error.details.reason).not.toBe('');
  expect(error.message).toContain(path);
  expect(error.message).toContain(error.details.reason);
}

const cut = (line: string | undefined) => (line ?? '').slice(0, -20);

function without(line: string | undefined, key: string): string {
  const { [key]: _, ...rest } = JSON.parse(line ?? '') as Record<string, unknown>;
  return JSON.stringify(rest);
}

describe('a broken line of a log', () => {
  it.each([1, 2, 3])('is refused by number: line %i of 3', async (line) => {
    const { store, session } = await withLines((lines) =>
      lines.map((text, i) => (i === line - 1 ? cut(text) : text)),
    );
    await expectBrokenLine(store.loadMessages(session.id, ALPHA), session, line);
    await expectBrokenLine(store.loadSessionMessages(session.id, ALPHA), session, line);
  });

  it('is counted with the empty lines before it', async () => {
    const { store, session } = await withLines(([one = '', two]) => ['', one, '', '', cut(two)]);
    await expectBrokenLine(store.loadMessages(session.id, ALPHA), session, 5);
  });

  it('is the first of several', async () => {
    const { store, session } = await withLines(([one = '', two, three]) => [
      one,
      cut(two),
      cut(three),
    ]);
    await expectBrokenLine(store.loadMessages(session.id, ALPHA), session, 2);
  });

  it.each<[string, string | Buffer]>([
    ['NUL bytes', Buffer.alloc(40)],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['a number', '42'],
    ['null', 'null'],
    ['an array', '[]'],
    ['a string', '"line"'],
    ['an empty object', '{}'],
    ['blanks and garbage', '  oops'],
  ])('may be %s', async (_, broken) => {
    const { store, session } = await withLines(([one = '', two = '']) => [one, broken, two]);
    await expectBrokenLine(store.loadMessages(session.id, ALPHA), session, 2);
    await expectBrokenLine(store.loadSessionMessages(session.id, ALPHA), session, 2);
  });

  it('may be two records on one line', async () => {
    const { store, session } = await withLines(([one = '', two = '', three = '']) => [
      `${one}${two}`,
      three,
    ]);
    await expectBrokenLine(store.loadMessages(session.id, ALPHA), session, 1);
  });

  it.each(['id', 'sessionId', 'tenantId', 'message', 'at'])(
    'may be a record without its key %s',
    async (key) => {
      const { store, session } = await withLines(([one = '', two, three = '']) => [
        one,
        without(two, key),
        three,
      ]);
      await expectBrokenLine(store.loadMessages(session.id, ALPHA), session, 2);
      await expectBrokenLine(store.loadSessionMessages(session.id, ALPHA), session, 2);
    },
  );

  it('leaves the session, its siblings and their messages readable', async () => {
    const { store, session, sibling } = await withLines((lines) => lines.map(cut));
    expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
    expect(await store.drill(session.id, ALPHA)).toMatchObject({ session: { id: session.id } });
    expect(await store.loadMessages(sibling.id, ALPHA)).toHaveLength(3);
  });

  it('does not keep the session from being deleted', async () => {
    const { store, session } = await withLines((lines) => lines.map(cut));
    await store.deleteSession(session.id, ALPHA);
    expect(await store.loadMessages(session.id, ALPHA)).toStrictEqual([]);
  });
});

describe('empty lines of a log', () => {
  it('are harmless anywhere', async () => {
    const { store, session, root } = await withLines(([one = '', two = '', three = '']) => [
      '',
      '',
      one,
      '',
      two,
      three,
      '',
      '',
    ]);
    const contents = (await store.loadMessages(session.id, ALPHA)).map(({ content }) => content);
    expect(contents).toStrictEqual(['one', 'two', 'three']);

    await store.appendMessage(session.id, { role: 'user', content: 'four' }, ALPHA);
    expect(await store.loadMessages(session.id, ALPHA)).toHaveLength(4);
    expect(await readText(root, messagesFile(session))).toMatch(/\n\n\n\{[^\n]*"four"[^\n]*\}\n$/);
  });

  it('alone are an empty log, and so is an empty file', async () => {
    for (const lines of [['', '', ''], []]) {
      const { store, session } = await withLines(() => lines);
      expect(await store.loadMessages(session.id, ALPHA)).toStrictEqual([]);
      await store.appendMessage(session.id, { role: 'user', content: 'first' }, ALPHA);
      expect(await store.loadMessages(session.id, ALPHA)).toHaveLength(1);
    }
  });
});
