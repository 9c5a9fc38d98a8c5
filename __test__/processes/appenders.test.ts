import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DiskSessionStore, type Durability } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { messagesFile } from '../support/paths.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { runScripts } from './support/run-script.js';

const WRITERS = 8;
const MESSAGES = 1_000;
const BYTES = 2_000;
const DURABILITIES: readonly Durability[] = ['full', 'relaxed'];

/** What an appender wrote as its message `n`. */
function contentOf(writer: string, n: number): string {
  return `${writer} ${n} `.padEnd(BYTES, String.fromCharCode(97 + (n % 26)));
}

describe.each(DURABILITIES)('processes that append to one session, durability %s', (durability) => {
  it('tear no line, lose none, and each keeps its order', async () => {
    const root = tempRoot();
    const world = await World.in(new DiskSessionStore({ rootDir: root }));
    const session = await world.session();
    await runScripts(WRITERS, 'appender.mjs', [root, session.id, MESSAGES, BYTES, durability]);

    const next = new Map<string, number>();
    const wrong: string[] = [];
    const check = (content: string) => {
      const writer = content.slice(0, content.indexOf(' '));
      const n = next.get(writer) ?? 0;
      next.set(writer, n + 1);
      if (content !== contentOf(writer, n)) wrong.push(content.slice(0, 20));
    };
    const expected = Array.from({ length: WRITERS }, (_, i) => [`${i}`, MESSAGES]);

    const stored = await world.store.loadSessionMessages(session.id, ALPHA);
    for (const { message } of stored) check(message.content ?? '');
    expect(wrong).toStrictEqual([]);
    expect([...next].sort()).toStrictEqual(expected);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(WRITERS * MESSAGES);

    next.clear();
    const input = createReadStream(join(root, messagesFile(session)));
    for await (const line of createInterface({ input })) check(JSON.parse(line).message.content);
    expect(wrong, 'lines of the file').toStrictEqual([]);
    expect([...next].sort()).toStrictEqual(expected);
  }, 100_000);
});
