import { DiskSessionStore, LogTooLargeError, TenantIsolationError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, BETA, UNKNOWN_SESSION, World } from '../support/world.js';
import { describeStores, said } from './stores.js';

const BIG = 'x'.repeat(100_000);

describe('streaming', () => {
  describeStores((make) => {
    it('hands out every message once, in order', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const messages = Array.from({ length: 50 }, (_, index) => said(`${index} ${BIG}`));
      await store.appendMessages(session.id, messages, ALPHA);
      const all = await store.loadSessionMessages(session.id, ALPHA);
      const streamed = [];
      for await (const message of store.streamMessages(session.id, ALPHA)) streamed.push(message);
      expect(streamed).toStrictEqual(all);
    });

    it('hands out what was there when it started', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      await store.appendMessages(
        session.id,
        ['a', 'b'].map((text) => said(text + BIG)),
        ALPHA,
      );
      const stream = store.streamMessages(session.id, ALPHA);
      expect((await stream.next()).value?.message.content).toBe(`a${BIG}`);
      await store.appendMessage(session.id, said('later'), ALPHA);
      await store.replaceMessages(session.id, [said('instead')], ALPHA);
      expect((await stream.next()).value?.message.content).toBe(`b${BIG}`);
      expect(await stream.next()).toStrictEqual({ value: undefined, done: true });
      expect(await stream.next()).toStrictEqual({ value: undefined, done: true });
    });

    it('answers calls that do not wait for one another in their order', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      await store.appendMessages(session.id, ['a', 'b', 'c'].map(said), ALPHA);
      const stream = store.streamMessages(session.id, ALPHA);
      const answers = await Promise.all(Array.from({ length: 5 }, () => stream.next()));
      expect(answers.map(({ value }) => value?.message.content)).toStrictEqual([
        'a',
        'b',
        'c',
        undefined,
        undefined,
      ]);
    });

    it('goes on as it began when the session is deleted', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const texts = Array.from({ length: 20 }, (_, index) => `${index} ${BIG}`);
      await store.appendMessages(session.id, texts.map(said), ALPHA);
      const stream = store.streamMessages(session.id, ALPHA);
      const read = [(await stream.next()).value?.message.content];
      await store.deleteSession(session.id, ALPHA);
      for await (const { message } of stream) read.push(message.content);
      expect(read).toStrictEqual(texts);
      expect((await store.streamMessages(session.id, ALPHA).next()).done).toBe(true);
    });

    it('ends early when its reader does', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      await store.appendMessages(session.id, ['a', 'b'].map(said), ALPHA);
      const stream = store.streamMessages(session.id, ALPHA);
      for await (const _ of stream) break;
      expect(await stream.next()).toStrictEqual({ value: undefined, done: true });
    });

    it('is empty where there is nothing, and refuses another tenant', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      for (const id of [session.id, UNKNOWN_SESSION, '../x' as never]) {
        const next = await store.streamMessages(id, ALPHA).next();
        expect(next).toStrictEqual({ value: undefined, done: true });
      }
      await rejectionOf(store.streamMessages(session.id, BETA).next(), TenantIsolationError);
    });
  });
});

describe('a log that is too long for one list', () => {
  it('is refused as a list, and read as a stream and in parts', async () => {
    const store = new DiskSessionStore({ rootDir: tempRoot(), maxListBytes: 500_000 });
    const session = await (await World.in(store)).session();
    const messages = Array.from({ length: 10 }, (_, index) => said(`${index} ${BIG}`));
    await store.appendMessages(session.id, messages, ALPHA);
    for (const load of [
      () => store.loadMessages(session.id, ALPHA),
      () => store.loadSessionMessages(session.id, ALPHA),
      () => store.loadMessages(session.id, ALPHA, { limit: 9 }),
    ]) {
      const error = await rejectionOf(load(), LogTooLargeError);
      expect(error.details).toStrictEqual({ sessionId: session.id, maxBytes: 500_000 });
      expect(error.message).toContain('streamMessages');
    }
    expect(await store.loadMessages(session.id, ALPHA, { limit: 2 })).toStrictEqual(
      messages.slice(-2),
    );
    let count = 0;
    for await (const { message } of store.streamMessages(session.id, ALPHA)) {
      expect(message).toStrictEqual(messages[count]);
      count += 1;
    }
    expect(count).toBe(10);
    await store.replaceMessages(session.id, [said('short')], ALPHA);
    expect(await store.loadMessages(session.id, ALPHA)).toStrictEqual([said('short')]);
  });
});
