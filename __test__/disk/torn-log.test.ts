import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { diskWorld, reopened } from '../support/disk-world.js';
import { messagesFile } from '../support/paths.js';
import { namesBelow, readText, writeText } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

/** A root with a session whose log has these messages, and the log's text. */
async function logOf(...contents: string[]) {
  const { world, root } = await diskWorld();
  const session = await world.session();
  for (const content of contents) {
    await world.store.appendMessage(session.id, { role: 'user', content }, ALPHA);
  }
  return { world, root, session, log: await readText(root, messagesFile(session)) };
}

/** What the engine put aside, as text. */
async function salvaged(root: string): Promise<string[]> {
  const dir = join(root, '.store', 'salvage');
  if (!existsSync(dir)) return [];
  const files = (await namesBelow(dir)).filter((name) => !name.endsWith('/'));
  return Promise.all(files.map((name) => readFile(join(dir, name), 'latin1')));
}

const contentsOf = (messages: readonly { content: string | null }[]) =>
  messages.map(({ content }) => content);

async function withLog(root: string, session: Session, text: string | Buffer) {
  return reopened(root, (copy) => writeText(copy, messagesFile(session), text));
}

describe('a last line that does not end in a newline', () => {
  it('is read when it is whole', async () => {
    const { root, session, log } = await logOf('one', 'two');
    const { store, root: copy } = await withLog(root, session, log.slice(0, -1));
    expect(contentsOf(await store.loadMessages(session.id, ALPHA))).toStrictEqual(['one', 'two']);
    expect(await store.loadSessionMessages(session.id, ALPHA)).toHaveLength(2);
    expect(await readText(copy, messagesFile(session)), 'a read changes nothing').toBe(
      log.slice(0, -1),
    );
  });

  it('is ended by the next append when it is whole', async () => {
    const { root, session, log } = await logOf('one', 'two');
    const { store, root: copy } = await withLog(root, session, log.slice(0, -1));
    await store.appendMessage(session.id, { role: 'user', content: 'three' }, ALPHA);
    const text = await readText(copy, messagesFile(session));
    expect(text.startsWith(log), 'the whole line, then a newline').toBe(true);
    expect(text.slice(log.length)).toMatch(/^\{[^\n]*"three"[^\n]*\}\n$/);
    expect(contentsOf(await store.loadMessages(session.id, ALPHA))).toStrictEqual([
      'one',
      'two',
      'three',
    ]);
    expect(await salvaged(copy)).toStrictEqual([]);
  });

  it('is read when it is whole and the only one', async () => {
    const { root, session, log } = await logOf('only');
    const { store } = await withLog(root, session, log.slice(0, -1));
    expect(contentsOf(await store.loadMessages(session.id, ALPHA))).toStrictEqual(['only']);
  });

  it('is left out when it is a fragment, and the file stays as it is', async () => {
    const { root, session, log } = await logOf('one', 'two');
    const torn = log.slice(0, -20);
    const { store, root: copy } = await withLog(root, session, torn);
    expect(contentsOf(await store.loadMessages(session.id, ALPHA))).toStrictEqual(['one']);
    expect(await store.loadSessionMessages(session.id, ALPHA)).toHaveLength(1);
    expect(await readText(copy, messagesFile(session))).toBe(torn);
    expect(await salvaged(copy)).toStrictEqual([]);
  });

  it('is moved to .store/salvage by the next append when it is a fragment', async () => {
    const { root, session, log } = await logOf('one', 'two');
    const [first = '', second = ''] = log.split('\n');
    const fragment = second.slice(0, -20);
    const { store, root: copy } = await withLog(root, session, `${first}\n${fragment}`);
    await store.appendMessage(session.id, { role: 'user', content: 'three' }, ALPHA);

    expect(contentsOf(await store.loadMessages(session.id, ALPHA))).toStrictEqual(['one', 'three']);
    const text = await readText(copy, messagesFile(session));
    expect(text.startsWith(`${first}\n{`)).toBe(true);
    expect(text).not.toContain('two');
    expect(text.split('\n')).toHaveLength(3);
    expect(await salvaged(copy)).toStrictEqual([fragment]);
  });

  it('is salvaged again when it happens again', async () => {
    const { root, session, log } = await logOf('one');
    const { store, root: copy } = await withLog(root, session, `${log}{"id":"msg_torn1`);
    await store.appendMessage(session.id, { role: 'user', content: 'two' }, ALPHA);
    const clean = await readText(copy, messagesFile(session));
    const again = await reopened(copy, (dir) =>
      writeText(dir, messagesFile(session), `${clean}{"id":"msg_torn2`),
    );
    await again.store.appendMessage(session.id, { role: 'user', content: 'three' }, ALPHA);
    expect(contentsOf(await again.store.loadMessages(session.id, ALPHA))).toStrictEqual([
      'one',
      'two',
      'three',
    ]);
    expect(await salvaged(copy)).toStrictEqual(['{"id":"msg_torn1']);
    expect(await salvaged(again.root)).toStrictEqual(['{"id":"msg_torn2']);
  });

  it('keeps fragments of several sessions apart', async () => {
    const { world, root, session, log } = await logOf('one');
    const other = await world.session();
    await world.store.appendMessage(other.id, { role: 'user', content: 'other' }, ALPHA);
    const { store, root: copy } = await reopened(root, async (dir) => {
      await writeText(dir, messagesFile(session), `${log}{"torn":1`);
      const otherLog = await readText(dir, messagesFile(other));
      await writeText(dir, messagesFile(other), `${otherLog}{"torn":2`);
    });
    for (const { id } of [session, other]) {
      await store.appendMessage(id, { role: 'user', content: 'next' }, ALPHA);
      expect(contentsOf(await store.loadMessages(id, ALPHA)).at(-1)).toBe('next');
    }
    expect((await salvaged(copy)).sort()).toStrictEqual(['{"torn":1', '{"torn":2']);
  });

  it.each([
    ['of NUL bytes', Buffer.alloc(64)],
    ['that is half a character', Buffer.from('{"id":"é').subarray(0, -1)],
    ['of bytes that are no text', Buffer.from([0xff, 0xfe, 0x80])],
    ['of one brace', Buffer.from('{')],
  ])('is left out and salvaged: a fragment %s', async (_, fragment) => {
    const { root, session, log } = await logOf('one');
    const torn = Buffer.concat([Buffer.from(log), fragment]);
    const { store, root: copy } = await withLog(root, session, torn);
    expect(contentsOf(await store.loadMessages(session.id, ALPHA))).toStrictEqual(['one']);
    await store.appendMessage(session.id, { role: 'user', content: 'two' }, ALPHA);
    expect(contentsOf(await store.loadMessages(session.id, ALPHA))).toStrictEqual(['one', 'two']);
    expect(await salvaged(copy)).toStrictEqual([fragment.toString('latin1')]);
  });

  it('wherever it is cut, loses that message alone', async () => {
    const { world, root, session, log } = await logOf('one', 'tw"o é ✈');
    const bytes = Buffer.from(log);
    const secondLine = bytes.indexOf('\n') + 1;
    const cuts = Array.from({ length: bytes.length - 1 - secondLine }, (_, i) => secondLine + i);
    const victims = await world.sessions(cuts.length);
    const { store } = await reopened(root, async (copy) => {
      for (const [i, victim] of victims.entries()) {
        const text = bytes
          .subarray(0, cuts[i])
          .toString('latin1')
          .replaceAll(session.id, victim.id);
        await writeText(copy, messagesFile(victim), Buffer.from(text, 'latin1'));
      }
    });
    expect(cuts.length).toBeGreaterThan(100);
    for (const victim of victims) {
      expect(contentsOf(await store.loadMessages(victim.id, ALPHA))).toStrictEqual(['one']);
    }
    for (const victim of victims) {
      await store.appendMessage(victim.id, { role: 'user', content: 'next' }, ALPHA);
      expect(contentsOf(await store.loadMessages(victim.id, ALPHA))).toStrictEqual(['one', 'next']);
    }
  });
});
