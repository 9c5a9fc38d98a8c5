/** A log whose content was lost while its length was kept, as file systems leave one after a power cut. */

import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CorruptRecordError, verify } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { archiveWorld, diskBackend, managerOf } from '../retention/archive-world.js';
import { diskWorld, reopened } from '../support/disk-world.js';
import { messagesFile } from '../support/paths.js';
import { rejectionOf } from '../support/rejection.js';
import { readText, writeText } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

const LOST: [string, Buffer][] = [
  ['one NUL', Buffer.alloc(1)],
  ['NULs of a block', Buffer.alloc(4096)],
  ['NULs of more than is read at once', Buffer.alloc(3 << 20)],
  ['NULs and the end of a record', Buffer.from(`${'\0'.repeat(100)}","at":"x"}`)],
];

async function withLog(log: Buffer) {
  const { world, root } = await diskWorld();
  const [session, sibling] = [await world.session(), await world.session()];
  for (const { id } of [session, sibling]) {
    await world.store.appendMessage(id, { role: 'user', content: 'one' }, ALPHA);
  }
  const opened = await reopened(root, (copy) => writeText(copy, messagesFile(session), log));
  return { ...opened, session, sibling, path: messagesFile(session) };
}

describe.each(LOST)('a log of %s alone', (_, log) => {
  const message = { role: 'user', content: 'two' } as const;

  it('is refused by every call that reads or changes it, and stays as it is', async () => {
    const { store, root, session, path } = await withLog(log);
    const stream = async () => {
      for await (const _ of store.streamMessages(session.id, ALPHA)) expect.unreachable();
    };
    const calls: (() => Promise<unknown>)[] = [
      () => store.loadMessages(session.id, ALPHA),
      () => store.loadSessionMessages(session.id, ALPHA),
      () => store.loadMessages(session.id, ALPHA, { limit: 1 }),
      () => store.countMessages(session.id, ALPHA),
      stream,
      () => store.appendMessage(session.id, message, ALPHA),
      () => store.appendMessages(session.id, [message], ALPHA, { idempotencyKey: 'k' }),
      () => store.replaceMessages(session.id, [message], ALPHA),
    ];
    for (const call of calls) {
      const { details } = await rejectionOf(call(), CorruptRecordError);
      expect(details, String(call)).toStrictEqual({
        path,
        line: 1,
        reason: expect.stringContaining('NUL'),
      });
    }
    await store.close();
    expect(log.equals(await readFile(join(root, path)))).toBe(true);
    expect(await verify(root)).toMatchObject([
      {
        kind: 'broken_line',
        severity: 'error',
        path,
        line: 1,
        detail: expect.stringMatching(/NUL/),
      },
    ]);
  });

  it('keeps nothing else from being read, and can be deleted or moved away', async () => {
    const { store, root, session, sibling, path } = await withLog(log);
    expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
    await store.appendMessage(sibling.id, message, ALPHA);
    expect(await store.loadMessages(sibling.id, ALPHA)).toHaveLength(2);
    const moved = await reopened(root, async (copy) => rmSync(join(copy, path)));
    await moved.store.appendMessage(session.id, message, ALPHA);
    expect(await moved.store.loadMessages(session.id, ALPHA)).toStrictEqual([message]);
    await store.deleteSession(session.id, ALPHA);
    expect(await store.getSession(session.id, ALPHA)).toBeNull();
  });
});

describe('a log of NULs alone', () => {
  it('is never evicted', async () => {
    const { root, child, edge } = await archiveWorld();
    const copy = await reopened(root, (dir) =>
      writeText(dir, messagesFile(child), Buffer.alloc(9)),
    );
    const manager = managerOf(copy.store, diskBackend(copy.root));
    for (const options of [{ evict: true }, {}]) {
      await rejectionOf(manager.archive(edge.id, ALPHA, options), CorruptRecordError);
    }
    expect(await readText(copy.root, messagesFile(child))).toBe('\0'.repeat(9));
    expect(await copy.store.getSubSession(edge.id, ALPHA)).toMatchObject({ status: 'idle' });
  });
});

describe('whole lines with NULs behind them', () => {
  it('are read, and `verify` names the NULs', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    await world.store.appendMessage(session.id, { role: 'user', content: 'one' }, ALPHA);
    const path = messagesFile(session);
    const log = await readText(root, path);
    const { store, root: copy } = await reopened(root, (dir) =>
      writeText(dir, path, `${log}${'\0'.repeat(64)}`),
    );
    expect(await store.loadMessages(session.id, ALPHA)).toHaveLength(1);
    await store.close();
    expect(await verify(copy)).toMatchObject([
      { kind: 'torn_log', path, line: 2, detail: 'the last line ends after 64 bytes, all NULs' },
    ]);
  });
});
