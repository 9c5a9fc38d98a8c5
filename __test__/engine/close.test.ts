import type { SessionStore } from 'namzu-native';
import { DiskSessionStore, InMemorySessionStore, StoreClosedError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { type Closable, everyCall, methodsOf } from './calls.js';

type AnyStore = SessionStore & Closable;

const STORES: readonly [string, () => AnyStore][] = [
  ['a memory store', () => new InMemorySessionStore()],
  ['a disk store', () => new DiskSessionStore({ rootDir: tempRoot() })],
  [
    'a relaxed disk store',
    () => new DiskSessionStore({ rootDir: tempRoot(), durability: 'relaxed' }),
  ],
];

const CLOSERS: readonly [string, (store: AnyStore) => Promise<void>][] = [
  ['close()', (store) => store.close()],
  ['[Symbol.asyncDispose]()', (store) => store[Symbol.asyncDispose]()],
];

describe.each(STORES)('%s', (_, open) => {
  it('is asked for every method that it has, below', async () => {
    const calls = await everyCall(await World.in(open()));
    expect([...Object.keys(calls), 'close'].sort()).toStrictEqual(methodsOf(open()));
  });

  describe.each(CLOSERS)('%s', (_, close) => {
    it('answers nothing', async () => {
      const store = open();
      await World.in(store);
      expect(await close(store)).toBeUndefined();
    });

    it('makes every later call of every method reject', async () => {
      const store = open();
      const calls = await everyCall(await World.in(store));
      await close(store);
      for (const [name, call] of Object.entries(calls)) {
        const error = await rejectionOf(call(), StoreClosedError);
        expect(error.message, name).toContain('closed');
      }
    });

    it('makes calls reject that are made before it is answered', async () => {
      const store = open();
      const calls = await everyCall(await World.in(store));
      const closing = close(store);
      for (const call of Object.values(calls)) await rejectionOf(call(), StoreClosedError);
      await closing;
    });

    it('may be said again, one after the other and at once', async () => {
      const store = open();
      await World.in(store);
      await Promise.all([close(store), store.close(), store[Symbol.asyncDispose]()]);
      await close(store);
      await store.close();
      await store[Symbol.asyncDispose]();
    });

    it('is fine for a store that was never used', async () => {
      const store = open();
      await close(store);
      await rejectionOf(store.getProject('prj_x', ALPHA), StoreClosedError);
      await close(store);
    });

    it('lets every operation finish that was started, reads and writes', async () => {
      const store = open();
      const calls = await everyCall(await World.in(store));
      const started = Object.entries(calls).map(async ([name, call]) => {
        const failure = await call().then(
          () => undefined,
          (error: unknown) => String(error),
        );
        return failure === undefined ? [] : [`${name}: ${failure}`];
      });
      await close(store);
      expect((await Promise.all(started)).flat()).toStrictEqual([]);
    });

    it('lets a crowd of reads finish that was started', async () => {
      const store = open();
      const world = await World.in(store);
      const session = await world.session();
      const reads = Array.from({ length: 200 }, () => store.getSession(session.id, ALPHA));
      const answers = Promise.allSettled(reads);
      await close(store);
      const answered = { status: 'fulfilled', value: session };
      expect(await answers).toStrictEqual(reads.map(() => answered));
    });
  });

  it('refuses bad arguments in its own way after closing, without a crash', async () => {
    const store = open();
    await store.close();
    await expect(store.getSession(42 as never, ALPHA)).rejects.toThrow();
    await expect(store.createProject(null as never, ALPHA)).rejects.toThrow();
  });
});
