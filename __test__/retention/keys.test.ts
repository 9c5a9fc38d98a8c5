/** Idempotency keys of messages that were evicted and restored, by every way through. */

import type { ArchiveBackend, ArchiveInput, ExtendedSessionStore, SessionId } from 'namzu-native';
import { IdempotencyConflictError, InMemorySessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { said } from '../extensions/stores.js';
import { rejectionOf } from '../support/rejection.js';
import { ALPHA } from '../support/world.js';
import { archiveWorld, describeStores, diskStore, managerOf } from './archive-world.js';

const TURN = ['a', 'b', 'c', 'd', 'e'].map(said);
const OTHER = [said('f'), said('g')];
const KEY = { idempotencyKey: 'a key of "any"\n text' };

/** An application's own backend, which keeps JSON. */
function ownBackend(): ArchiveBackend {
  const bundles = new Map<string, string>();
  return {
    kind: 'own',
    async store(input) {
      const archiveRef = `arc_own${bundles.size}` as const;
      bundles.set(archiveRef, JSON.stringify(input));
      return { archiveRef, archivedAt: new Date() };
    },
    async restore(archiveRef) {
      const input: ArchiveInput = JSON.parse(bundles.get(archiveRef) as string);
      return {
        ...input,
        messages: input.messages.map((one) => ({ ...one, at: new Date(one.at) })),
      };
    },
  };
}

/** A hand-written backend around ours. */
const around = (backend: ArchiveBackend): ArchiveBackend => ({
  kind: 'around',
  store: (input) => backend.store(input),
  restore: async (archiveRef) => structuredClone(await backend.restore(archiveRef)),
});

type Way = readonly [
  name: string,
  store: (store: ExtendedSessionStore) => ExtendedSessionStore,
  backend: (backend: ArchiveBackend) => ArchiveBackend,
];
const same = <T>(one: T) => one;
const proxy = <T extends object>(one: T) => new Proxy(one, {});
const WAYS: readonly Way[] = [
  ['what is ours', same, same],
  ['a wrapped store', proxy, same],
  ['a wrapped backend', same, proxy],
  ['a hand-written backend', same, around],
];
const PAIRS = WAYS.flatMap((there) => WAYS.map((back) => ({ there, back })));

describe('a keyed append that is sent again after an eviction and a restoration', () => {
  describeStores((make) => {
    const opened = (root: string, store: ExtendedSessionStore) =>
      store instanceof InMemorySessionStore ? store : diskStore(root);
    const expectSame = async (
      store: ExtendedSessionStore,
      child: SessionId,
      ids: readonly (readonly string[])[],
    ) => {
      const again = store.appendMessages(child, TURN, ALPHA, { idempotencyKey: 'k' });
      expect(await again).toStrictEqual(ids[0]);
      expect(await store.appendMessages(child, OTHER, ALPHA, KEY)).toStrictEqual(ids[1]);
      const conflict = store.appendMessages(child, OTHER, ALPHA, { idempotencyKey: 'k' });
      await rejectionOf(conflict, IdempotencyConflictError);
      expect(await store.countMessages(child, ALPHA)).toBe(8);
    };

    it.each(PAIRS)(
      'is not appended twice: by $there.0 and back by $back.0',
      async ({ there, back }) => {
        const { root, store, backend, child, edge } = await archiveWorld(make);
        await store.appendMessage(child.id, said('without'), ALPHA);
        const ids = [
          await store.appendMessages(child.id, TURN, ALPHA, { idempotencyKey: 'k' }),
          await store.appendMessages(child.id, OTHER, ALPHA, KEY),
        ];
        const before = await store.loadSessionMessages(child.id, ALPHA);
        const managerBy = ([, wrapStore, wrapBackend]: Way) =>
          managerOf(wrapStore(opened(root, store)), wrapBackend(backend));
        // Twice, so that what was put back is evicted as well.
        for (const way of [
          () => managerBy(back).restore(edge.id, ALPHA),
          async () => {
            await managerBy(back).restoreSession(child.id, ALPHA);
            await managerBy(back).restore(edge.id, ALPHA);
          },
        ]) {
          await managerBy(there).archive(edge.id, ALPHA, { evict: true });
          await way();
          const after = opened(root, store);
          expect(await after.loadSessionMessages(child.id, ALPHA)).toStrictEqual(before);
          await expectSame(after, child.id, ids);
        }
      },
    );

    it('is not appended twice over a backend of the application', async () => {
      const own = ownBackend();
      const { root, store, child, edge } = await archiveWorld(make, () => own);
      await store.appendMessage(child.id, said('without'), ALPHA);
      const ids = [
        await store.appendMessages(child.id, TURN, ALPHA, { idempotencyKey: 'k' }),
        await store.appendMessages(child.id, OTHER, ALPHA, KEY),
      ];
      await managerOf(store, own).archive(edge.id, ALPHA, { evict: true });
      await managerOf(opened(root, store), own).restore(edge.id, ALPHA);
      await expectSame(opened(root, store), child.id, ids);
    });
  });
});
