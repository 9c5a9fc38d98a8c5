import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { AWKWARD_MESSAGES, kept } from './support/awkward-messages.mjs';
import { rejection } from './support/rejection.mjs';
import { ALPHA, UNKNOWN_SESSION, World } from './support/world.mjs';

export function describeMessages(factory: SingleStoreFactory): void {
  describe('messages', () => {
    it('appends a message under a new id and reads it with its envelope', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const before = Date.now();
      const id = await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
      const after = Date.now();

      expect(id).toMatch(/^msg_[0-9a-z]{12}$/);
      const [stored, ...more] = await world.store.loadSessionMessages(session.id, ALPHA);
      expect(more).toStrictEqual([]);
      expect(stored).toStrictEqual({
        id,
        sessionId: session.id,
        tenantId: ALPHA,
        message: { role: 'user', content: 'x' },
        at: expect.any(Date),
      });
      expect(stored?.at.getTime()).toBeGreaterThanOrEqual(before);
      expect(stored?.at.getTime()).toBeLessThanOrEqual(after);
    });

    it('answers messages alone, in the order of their envelopes', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const ids: string[] = [];
      for (const content of ['one', 'two', 'three']) {
        ids.push(await world.store.appendMessage(session.id, { role: 'user', content }, ALPHA));
      }
      const envelopes = await world.store.loadSessionMessages(session.id, ALPHA);
      expect(envelopes.map((envelope) => envelope.id)).toStrictEqual(ids);
      expect(await world.store.loadMessages(session.id, ALPHA)).toStrictEqual([
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
        { role: 'user', content: 'three' },
      ]);
    });

    it('adds nothing to a message, not even a timestamp', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
      const [message] = await world.store.loadMessages(session.id, ALPHA);
      expect(Object.keys(message ?? {})).toStrictEqual(['role', 'content']);
    });

    it('keeps equal messages apart', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const one = await world.store.appendMessage(
        session.id,
        { role: 'user', content: 'x' },
        ALPHA,
      );
      const two = await world.store.appendMessage(
        session.id,
        { role: 'user', content: 'x' },
        ALPHA,
      );
      expect(two).not.toBe(one);
      expect(await world.store.loadMessages(session.id, ALPHA)).toHaveLength(2);
    });

    it('keeps the messages of sessions apart', async () => {
      const world = await World.in(await factory());
      const [one, two] = [await world.session(), await world.session()];
      await world.store.appendMessage(one.id, { role: 'user', content: 'one' }, ALPHA);
      await world.store.appendMessage(two.id, { role: 'user', content: 'two' }, ALPHA);
      expect(await world.store.loadMessages(one.id, ALPHA)).toMatchObject([{ content: 'one' }]);
      expect(await world.store.loadMessages(two.id, ALPHA)).toMatchObject([{ content: 'two' }]);
    });

    it('does not change the session', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
      expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
    });

    it('answers no messages for a session without any and for one that is not there', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      for (const id of [session.id, UNKNOWN_SESSION]) {
        expect(await world.store.loadMessages(id, ALPHA)).toStrictEqual([]);
        expect(await world.store.loadSessionMessages(id, ALPHA)).toStrictEqual([]);
      }
    });

    it('refuses a message to a session that is not there', async () => {
      const store = await factory();
      const error = await rejection(
        store.appendMessage(UNKNOWN_SESSION, { role: 'user', content: 'x' }, ALPHA),
      );
      expect(error.message).toContain(UNKNOWN_SESSION);
      expect(error.message).toContain('not found');
      expect(await store.loadMessages(UNKNOWN_SESSION, ALPHA)).toStrictEqual([]);
    });

    it.each(AWKWARD_MESSAGES)('keeps $title', async ({ message }) => {
      const world = await World.in(await factory());
      const session = await world.session();
      await world.store.appendMessage(session.id, message, ALPHA);
      const loaded = await world.store.loadMessages(session.id, ALPHA);
      const [envelope] = await world.store.loadSessionMessages(session.id, ALPHA);

      expect(loaded).toHaveLength(1);
      expect(loaded[0]).toStrictEqual(kept(message));
      expect(envelope?.message).toStrictEqual(kept(message));
      // Key order and own `__proto__` keys, which equality overlooks. Not by `expect`, which would
      // print both texts of a message of many megabytes.
      const same = JSON.stringify(loaded[0]) === JSON.stringify(message);
      expect(same, 'the same text, key order included').toBe(true);
      expect(Object.getPrototypeOf(loaded[0])).toBe(Object.prototype);
    });

    it('keeps all awkward messages next to each other in one session', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      for (const { message } of AWKWARD_MESSAGES) {
        await world.store.appendMessage(session.id, message, ALPHA);
      }
      const loaded = await world.store.loadMessages(session.id, ALPHA);
      const damaged = AWKWARD_MESSAGES.filter(
        ({ message }, i) => JSON.stringify(loaded[i]) !== JSON.stringify(message),
      );
      expect(damaged.map(({ title }) => title)).toStrictEqual([]);
      expect(loaded).toHaveLength(AWKWARD_MESSAGES.length);
    });

    it('keeps 10,000 messages of one instant in the order of the calls', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const contents = Array.from({ length: 10_000 }, (_, i) => `message ${i}`);
      const ids = await Promise.all(
        contents.map((content) =>
          world.store.appendMessage(session.id, { role: 'user', content }, ALPHA),
        ),
      );
      const envelopes = await world.store.loadSessionMessages(session.id, ALPHA);
      expect(envelopes.map((envelope) => envelope.id)).toStrictEqual(ids);
      const loaded = await world.store.loadMessages(session.id, ALPHA);
      expect(loaded.map((message) => message.content)).toStrictEqual(contents);
      expect(new Set(ids).size).toBe(10_000);
    });
  });
}
