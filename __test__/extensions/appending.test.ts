import type { Message } from 'namzu-native';
import { IdempotencyConflictError, InvalidArgumentError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejection, rejectionOf } from '../support/rejection.js';
import { ALPHA, UNKNOWN_SESSION, World } from '../support/world.js';
import { describeStores, said } from './stores.js';

describe('appending', () => {
  describeStores((make) => {
    it('appends several at once, in order, under the ids that it answers', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const messages = ['a', 'b', 'c'].map(said);
      const ids = await store.appendMessages(session.id, messages, ALPHA);
      const stored = await store.loadSessionMessages(session.id, ALPHA);
      expect(stored.map(({ id, message }) => ({ id, message }))).toStrictEqual(
        messages.map((message, index) => ({ id: ids[index], message })),
      );
      expect(await store.appendMessages(session.id, [], ALPHA)).toStrictEqual([]);
      expect(await store.countMessages(session.id, ALPHA)).toBe(3);
    });

    it('appends all or none', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const bad = [said('a'), 7, said('c')] as never;
      const error = await rejectionOf(
        store.appendMessages(session.id, bad, ALPHA),
        InvalidArgumentError,
      );
      expect(error.details.argument).toBe('messages.1');
      await rejectionOf(
        store.appendMessages(session.id, 'abc' as never, ALPHA),
        InvalidArgumentError,
      );
      expect(await store.loadMessages(session.id, ALPHA)).toStrictEqual([]);
      const missing = await rejection(store.appendMessages(UNKNOWN_SESSION, [said('a')], ALPHA));
      expect(missing.message).toContain('not found');
    });

    it('appends once for a key, across both methods', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const once = { idempotencyKey: 'turn "1" ☂' };
      const id = await store.appendMessage(session.id, said('a'), ALPHA, once);
      await store.appendMessage(session.id, said('b'), ALPHA);
      expect(await store.appendMessage(session.id, said('a'), ALPHA, once)).toBe(id);
      expect(await store.appendMessages(session.id, [said('a')], ALPHA, once)).toStrictEqual([id]);
      const batch = { idempotencyKey: 'batch' };
      const ids = await store.appendMessages(session.id, [said('c'), said('d')], ALPHA, batch);
      await store.appendMessages(session.id, [said('e')], ALPHA);
      expect(
        await store.appendMessages(session.id, [said('c'), said('d')], ALPHA, batch),
      ).toStrictEqual(ids);
      expect(await store.countMessages(session.id, ALPHA)).toBe(5);
      expect(await store.loadMessages(session.id, ALPHA)).toStrictEqual(
        ['a', 'b', 'c', 'd', 'e'].map(said),
      );
    });

    it('refuses a key that comes with another message', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const once = { idempotencyKey: 'k' };
      await store.appendMessage(session.id, said('a'), ALPHA, once);
      const conflict = async (promise: Promise<unknown>, ...fields: string[]) => {
        const error = await rejectionOf(promise, IdempotencyConflictError);
        expect(error.details).toStrictEqual({ sessionId: session.id, key: 'k', fields });
        expect(error.message).toContain(
          fields.length > 0 ? `differs in ${fields.join(', ')}` : 'k',
        );
      };
      const again = (message: object) =>
        store.appendMessage(session.id, message as Message, ALPHA, once);
      await conflict(again(said('b')), 'content');
      await conflict(again({ ...said('b'), role: 'system', extra: 1 }), 'content', 'extra', 'role');
      await conflict(again({ content: 'a', role: 'user' }));
      await conflict(
        store.appendMessages(session.id, [said('a'), said('b')], ALPHA, once),
        'length',
      );
      expect(await store.countMessages(session.id, ALPHA)).toBe(1);
    });

    it('says of several messages which one differs, by the names of a few fields', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const once = { idempotencyKey: 'k' };
      await store.appendMessages(session.id, [said('a'), said('b'), said('c')], ALPHA, once);
      const many = Object.fromEntries(
        Array.from({ length: 20 }, (_, n) => [`x${n}${'y'.repeat(99)}`, n]),
      );
      const rows = [said('a'), { ...said('b'), ...many }, said('other')];
      const { details, message } = await rejectionOf(
        store.appendMessages(session.id, rows, ALPHA, once),
        IdempotencyConflictError,
      );
      expect(details.fields).toHaveLength(8);
      for (const field of details.fields ?? []) expect(field).toMatch(/^1\.x\d+y+$/);
      expect(message.length).toBeLessThan(1000);
    });

    it('knows a turn that is built anew, whose time alone differs', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const once = { idempotencyKey: 'turn-1' };
      const built = (at: number, content = 'pay') =>
        ({ role: 'user', content, timestamp: at }) as const;
      const id = await store.appendMessage(session.id, built(1), ALPHA, once);
      expect(await store.appendMessage(session.id, built(2), ALPHA, once)).toBe(id);
      expect(await store.appendMessage(session.id, said('pay'), ALPHA, once)).toBe(id);
      expect(await store.appendMessages(session.id, [built(3)], ALPHA, once)).toStrictEqual([id]);
      await rejectionOf(
        store.appendMessage(session.id, built(1, 'pay twice'), ALPHA, once),
        IdempotencyConflictError,
      );
      // Only the message's own time is left out.
      const inside = (timestamp: number) => ({ ...said('x'), meta: { timestamp } });
      const deep = { idempotencyKey: 'deep' };
      await store.appendMessage(session.id, inside(1), ALPHA, deep);
      await rejectionOf(
        store.appendMessage(session.id, inside(2), ALPHA, deep),
        IdempotencyConflictError,
      );
      expect(await store.loadMessages(session.id, ALPHA)).toStrictEqual([built(1), inside(1)]);
    });

    it('answers nothing for no messages, and remembers no key of theirs', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const once = { idempotencyKey: 'k' };
      expect(await store.appendMessages(session.id, [], ALPHA, once)).toStrictEqual([]);
      const ids = await store.appendMessages(session.id, [said('a')], ALPHA, once);
      expect(ids).toHaveLength(1);
      expect(await store.appendMessages(session.id, [], ALPHA, once)).toStrictEqual([]);
      expect(await store.countMessages(session.id, ALPHA)).toBe(1);
    });

    it('keeps keys apart by session, and over a replacement', async () => {
      const store = make();
      const [one, two] = await (await World.in(store)).sessions(2);
      if (one === undefined || two === undefined) throw new Error('no sessions');
      const once = { idempotencyKey: 'k' };
      const id = await store.appendMessage(one.id, said('a'), ALPHA, once);
      expect(await store.appendMessage(two.id, said('b'), ALPHA, once)).not.toBe(id);
      await store.replaceMessages(one.id, [said('summary')], ALPHA);
      expect(await store.appendMessage(one.id, said('a'), ALPHA, once)).toBe(id);
      expect(await store.loadMessages(one.id, ALPHA)).toStrictEqual([said('summary')]);
    });

    it('appends once however many send at once', async () => {
      const store = make();
      const session = await (await World.in(store)).session();
      const once = { idempotencyKey: 'k' };
      const sent = Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? store.appendMessage(session.id, said('a'), ALPHA, once)
          : store.appendMessage(session.id, said(`other ${index}`), ALPHA),
      );
      const ids = await Promise.all(sent);
      expect(new Set(ids.filter((_, index) => index % 2 === 0)).size).toBe(1);
      expect(await store.countMessages(session.id, ALPHA)).toBe(21);
    });

    it.each([{ idempotencyKey: '' }, { idempotencyKey: 7 }, { idempotencyKey: '\ud800' }, 'k'])(
      'refuses the options %j',
      async (options) => {
        const store = make();
        const session = await (await World.in(store)).session();
        const append = store.appendMessage(session.id, said('a'), ALPHA, options as never);
        await rejectionOf(append, InvalidArgumentError);
        expect(await store.countMessages(session.id, ALPHA)).toBe(0);
      },
    );
  });
});
