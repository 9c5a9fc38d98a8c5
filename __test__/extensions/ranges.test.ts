import type { ExtendedSessionStore, MessageRange, Session, SessionMessage } from 'namzu-native';
import { InvalidArgumentError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { ALPHA, UNKNOWN_SESSION, World } from '../support/world.js';
import { describeStores, said } from './stores.js';

/** A session of many messages, some long, so that a log is read in many steps. */
async function filled(store: ExtendedSessionStore, count: number) {
  const session = await (await World.in(store)).session();
  const text = (index: number) => (index % 97 === 0 ? `${index} `.repeat(9000) : `${index}`);
  const messages = Array.from({ length: count }, (_, index) => said(text(index)));
  await store.appendMessages(session.id, messages, ALPHA);
  return { session, all: await store.loadSessionMessages(session.id, ALPHA) };
}

/** What the contract says, in so many words. */
function expected(all: readonly SessionMessage[], { limit, before, after }: MessageRange) {
  const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before);
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const range = all.slice(start, Math.max(start, end));
  if (limit === undefined) return range;
  return after === undefined
    ? range.slice(Math.max(0, range.length - limit))
    : range.slice(0, limit);
}

async function check(
  store: ExtendedSessionStore,
  session: Session,
  all: readonly SessionMessage[],
  range: MessageRange,
) {
  const wanted = expected(all, range);
  expect(await store.loadSessionMessages(session.id, ALPHA, range)).toStrictEqual(wanted);
  expect(await store.loadMessages(session.id, ALPHA, range)).toStrictEqual(
    wanted.map(({ message }) => message),
  );
  const streamed: SessionMessage[] = [];
  for await (const message of store.streamMessages(session.id, ALPHA, range))
    streamed.push(message);
  expect(streamed).toStrictEqual(wanted);
}

describe('ranges', () => {
  describeStores((make) => {
    it('select what they say, wherever they start and end', async () => {
      const store = make();
      const { session, all } = await filled(store, 500);
      const ids = [0, 1, 96, 97, 250, 498, 499].map((index) => all[index]?.id as never);
      await check(store, session, all, {});
      for (const limit of [0, 1, 50, 499, 500, 501]) await check(store, session, all, { limit });
      for (const id of ids) {
        await check(store, session, all, { before: id });
        await check(store, session, all, { after: id });
        await check(store, session, all, { before: id, limit: 3 });
        await check(store, session, all, { after: id, limit: 3 });
        for (const other of ids)
          await check(store, session, all, { after: id, before: other, limit: 4 });
      }
    });

    it('page back and forth over a log that grows and is replaced', async () => {
      const store = make();
      const { session, all } = await filled(store, 300);
      let page = await store.loadSessionMessages(session.id, ALPHA, { limit: 40 });
      let seen = [...page];
      while (page.length > 0) {
        await store.appendMessage(session.id, said('later'), ALPHA);
        const before = page[0]?.id as never;
        page = await store.loadSessionMessages(session.id, ALPHA, { limit: 40, before });
        seen = [...page, ...seen];
      }
      expect(seen).toStrictEqual(all);
      await store.replaceMessages(session.id, ['x', 'y', 'z'].map(said), ALPHA);
      await store.appendMessage(session.id, said('more'), ALPHA);
      const now = await store.loadSessionMessages(session.id, ALPHA);
      expect(now.map(({ message }) => message)).toStrictEqual(['x', 'y', 'z', 'more'].map(said));
      const gone = { before: seen[40]?.id as never };
      await rejectionOf(store.loadMessages(session.id, ALPHA, gone), InvalidArgumentError);
      for (const { id } of now) {
        await check(store, session, now, { before: id, limit: 2 });
        await check(store, session, now, { after: id, limit: 2 });
      }
      await check(store, session, now, { limit: 2 });
      await check(store, session, now, { limit: 9 });
    });

    it('refuse a message that is not there, not a session that is not there', async () => {
      const store = make();
      const { session } = await filled(store, 3);
      for (const range of [{ before: 'msg_missing' }, { after: 'msg_missing' }] as const) {
        const load = store.loadMessages(session.id, ALPHA, range);
        await rejectionOf(load, InvalidArgumentError);
        const first = store.streamMessages(session.id, ALPHA, range).next();
        await rejectionOf(first, InvalidArgumentError);
        expect(await store.loadMessages(UNKNOWN_SESSION, ALPHA, range)).toStrictEqual([]);
      }
    });

    it('refuse a `before` that is not there, whatever `after` is', async () => {
      const store = make();
      const { session, all } = await filled(store, 3);
      for (const after of [all[1]?.id, 'msg_none'] as const) {
        const range = { before: 'msg_missing', after } as never;
        const error = await rejectionOf(
          store.loadMessages(session.id, ALPHA, range),
          InvalidArgumentError,
        );
        expect(error.details.argument).toBe('options.before');
      }
      const crossed = { before: all[0]?.id, after: all[2]?.id } as never;
      expect(await store.loadMessages(session.id, ALPHA, crossed)).toStrictEqual([]);
    });

    it.each([{ limit: -1 }, { limit: 1.5 }, { limit: '5' }, { before: 7 }, { after: '' }, 'x'])(
      'refuse %j',
      async (range) => {
        const store = make();
        const { session } = await filled(store, 3);
        const load = store.loadMessages(session.id, ALPHA, range as never);
        await rejectionOf(load, InvalidArgumentError);
      },
    );
  });
});
