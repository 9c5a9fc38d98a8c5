import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { ALPHA, present, UNKNOWN_SESSION, World } from './support/world.mjs';

export function describeDrill(factory: SingleStoreFactory): void {
  describe('drill', () => {
    it('answers null for a session that is not there', async () => {
      const store = await factory();
      expect(await store.drill(UNKNOWN_SESSION, ALPHA)).toBeNull();
    });

    it('answers a lone session', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      expect(await world.store.drill(session.id, ALPHA)).toStrictEqual({
        session,
        children: [],
        ancestry: [session.id],
      });
    });

    it('answers what the single reads answer', async () => {
      const world = await World.in(await factory());
      const [root, middle] = [await world.session(), await world.session()];
      await world.edge(root, middle, 5);
      const late = await world.edge(middle, await world.session(), 20);
      const early = await world.edge(middle, await world.session(), 10);
      expect(await world.store.drill(middle.id, ALPHA)).toStrictEqual({
        session: middle,
        children: [early, late],
        ancestry: [root.id, middle.id],
      });
    });

    it('is of one instant: an edge that turns round is seen above or below, never both', async () => {
      const world = await World.in(await factory());
      const [turning, other] = [await world.session(), await world.session()];
      const edge = await world.edge(turning, other);
      const below = { ...edge, parentSessionId: turning.id, childSessionId: other.id };
      const above = { ...edge, parentSessionId: other.id, childSessionId: turning.id };

      const seen = new Set<string>();
      let turnings = 100;
      const turnRound = async () => {
        for (; turnings > 0; turnings -= 1) {
          await world.store.updateSubSession(turnings % 2 === 0 ? above : below, ALPHA);
          await nextTurn();
        }
      };
      const look = async () => {
        while (turnings > 0) {
          const { children, ancestry } = present(await world.store.drill(turning.id, ALPHA));
          seen.add(`${children.length} below, ${ancestry.length - 1} above`);
          await nextTurn();
        }
      };
      await Promise.all([
        turnRound().finally(() => {
          turnings = 0;
        }),
        look(),
        look(),
      ]);
      expect(seen.size).toBeGreaterThan(0);
      const torn = [...seen].filter((s) => !['1 below, 0 above', '0 below, 1 above'].includes(s));
      expect(torn).toStrictEqual([]);
    });
  });
}
