import { DiskSessionStore, type DiskSessionStoreConfig } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { messagesFile } from '../support/paths.js';
import { rejection } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { readText, writeText } from '../support/tree.js';
import { ALPHA, UNKNOWN_SESSION, World } from '../support/world.js';
import { describeStores, said } from './stores.js';

describe('replacing', () => {
  describeStores((make) => {
    it('shows later readers the new messages and what comes after them', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const old = await store.appendMessages(session.id, ['a', 'b'].map(said), ALPHA);
      await store.replaceMessages(session.id, ['c', 'd'].map(said), ALPHA);
      await store.appendMessage(session.id, said('e'), ALPHA);
      const now = await store.loadSessionMessages(session.id, ALPHA);
      expect(now.map(({ message }) => message)).toStrictEqual(['c', 'd', 'e'].map(said));
      expect(now.every(({ id }) => !old.includes(id))).toBe(true);
      expect(now.every((line) => line.sessionId === session.id && line.tenantId === ALPHA)).toBe(
        true,
      );
      expect(await store.countMessages(session.id, ALPHA)).toBe(3);
      await store.replaceMessages(session.id, [], ALPHA);
      expect(await store.loadMessages(session.id, ALPHA)).toStrictEqual([]);
      expect(await store.countMessages(session.id, ALPHA)).toBe(0);
      const missing = await rejection(store.replaceMessages(UNKNOWN_SESSION, [], ALPHA));
      expect(missing.message).toContain('not found');
    });

    it('is not fooled by messages that look like it', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const trick = {
        ...said('"recordKind":"replacement"'),
        recordKind: 'replacement',
        messages: [],
      };
      await store.appendMessages(session.id, [said('a'), trick], ALPHA, { idempotencyKey: 'k' });
      expect(await store.countMessages(session.id, ALPHA)).toBe(2);
      expect(await store.loadMessages(session.id, ALPHA)).toStrictEqual([said('a'), trick]);
      expect(await store.loadMessages(session.id, ALPHA, { limit: 2 })).toStrictEqual([
        said('a'),
        trick,
      ]);
    });
  });
});

describe('replacing on disk', () => {
  const reopen = (config: DiskSessionStoreConfig) => new DiskSessionStore(config);

  it('adds one line and leaves the earlier ones', async () => {
    const rootDir = tempRoot();
    const store = reopen({ rootDir });
    const session = await (await World.in(store)).session();
    await store.appendMessages(session.id, ['a', 'b'].map(said), ALPHA);
    const before = await readText(rootDir, messagesFile(session));
    await store.replaceMessages(session.id, [said('c')], ALPHA);
    const after = await readText(rootDir, messagesFile(session));
    expect(after.startsWith(before)).toBe(true);
    const line = JSON.parse(after.slice(before.length));
    expect(Object.keys(line)).toStrictEqual(['recordKind', 'sessionId', 'tenantId', 'messages']);
    expect(line).toStrictEqual({
      recordKind: 'replacement',
      sessionId: session.id,
      tenantId: ALPHA,
      messages: [{ id: expect.any(String), message: said('c'), at: expect.any(String) }],
    });
  });

  it('reads what a later release wrote', async () => {
    const rootDir = tempRoot();
    const session = await (await World.in(reopen({ rootDir }))).session();
    const owner = { sessionId: session.id, tenantId: ALPHA };
    const at = '2026-01-02T03:04:05.678Z';
    const lines = [
      { id: 'msg_a', ...owner, message: said('a'), at, recordKind: 'message' },
      { messages: [{ at, message: said('b'), id: 'msg_b' }], ...owner, recordKind: 'replacement' },
      { ...owner, id: 'msg_c', at, message: said('c'), idempotencyKey: 'k', schemaVersion: 4 },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('\n');
    await writeText(rootDir, messagesFile(session), text);
    const store = reopen({ rootDir });
    const wanted = ['b', 'c'].map((text) => ({
      id: `msg_${text}`,
      ...owner,
      message: said(text),
      at: new Date(at),
    }));
    expect(await store.loadSessionMessages(session.id, ALPHA)).toStrictEqual(wanted);
    expect(await store.countMessages(session.id, ALPHA)).toBe(2);
    const once = { idempotencyKey: 'k' };
    expect(await store.appendMessage(session.id, said('c'), ALPHA, once)).toBe('msg_c');
  });

  it('keeps a key on its line, and finds it in another process', async () => {
    const rootDir = tempRoot();
    const store = reopen({ rootDir });
    const session = await (await World.in(store)).session();
    const once = { idempotencyKey: 'k' };
    const ids = await store.appendMessages(session.id, ['a', 'b'].map(said), ALPHA, once);
    const lines = (await readText(rootDir, messagesFile(session))).trimEnd().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line)).at(-1))).toStrictEqual([
      'idempotencyKey',
      'idempotencyKey',
    ]);
    const later = reopen({ rootDir });
    expect(await later.appendMessages(session.id, ['a', 'b'].map(said), ALPHA, once)).toStrictEqual(
      ids,
    );
    expect(await later.countMessages(session.id, ALPHA)).toBe(2);
  });

  it('looks a log up anew when another is in its place', async () => {
    const rootDir = tempRoot();
    const store = reopen({ rootDir });
    const session = await (await World.in(store)).session();
    const once = { idempotencyKey: 'k' };
    await store.appendMessage(session.id, said('a'), ALPHA, once);
    expect(await store.countMessages(session.id, ALPHA)).toBe(1);
    const line = await readText(rootDir, messagesFile(session));
    const other = line.replace('"k"', '"l"').replace(/"msg_[^"]*"/, '"msg_l"');
    await writeText(rootDir, messagesFile(session), `${other}${other.replace('"l"', '"m"')}`);
    expect(await store.countMessages(session.id, ALPHA)).toBe(2);
    const known = { idempotencyKey: 'l' };
    expect(await store.appendMessage(session.id, said('a'), ALPHA, known)).toBe('msg_l');
    await store.appendMessage(session.id, said('a'), ALPHA, once);
    expect(await store.countMessages(session.id, ALPHA)).toBe(3);
  });

  it('leaves a torn end out of counts and ranges', async () => {
    const rootDir = tempRoot();
    const store = reopen({ rootDir });
    const session = await (await World.in(store)).session();
    await store.appendMessages(session.id, ['a', 'b'].map(said), ALPHA);
    const text = await readText(rootDir, messagesFile(session));
    await writeText(rootDir, messagesFile(session), `${text}{"id":"msg_torn","sessi`);
    expect(await store.countMessages(session.id, ALPHA)).toBe(2);
    expect(await store.loadMessages(session.id, ALPHA, { limit: 1 })).toStrictEqual([said('b')]);
    await store.replaceMessages(session.id, [said('c')], ALPHA);
    expect(await store.loadMessages(session.id, ALPHA, { limit: 5 })).toStrictEqual([said('c')]);
    await writeText(rootDir, messagesFile(session), text.trimEnd());
    expect(await store.countMessages(session.id, ALPHA)).toBe(2);
    expect(await store.loadMessages(session.id, ALPHA, { limit: 1 })).toStrictEqual([said('b')]);
  });
});
