import type { Session } from 'namzu-native';
import { AncestryCycleError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejectionOf } from './support/rejection.mjs';
import { ALPHA, UNKNOWN_SESSION, World } from './support/world.mjs';

const byText = (a: string, b: string) => (a < b ? -1 : 1);

export function describeAncestry(factory: SingleStoreFactory): void {
  describe('getAncestry', () => {
    it('answers a session alone when it has no parent', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      expect(await world.store.getAncestry(session.id, ALPHA)).toStrictEqual([session.id]);
    });

    it('answers nothing for a session that is not there', async () => {
      const store = await factory();
      expect(await store.getAncestry(UNKNOWN_SESSION, ALPHA)).toStrictEqual([]);
    });

    it('answers root first and self last, however deep', async () => {
      const world = await World.in(await factory());
      const line = await world.sessions(100);
      for (const [i, child] of line.entries()) {
        const parent = line[i - 1];
        if (parent) await world.edge(parent, child);
      }
      const ids = line.map((session) => session.id);
      for (const depth of [1, 50, 100]) {
        const self = ids[depth - 1] as Session['id'];
        expect(await world.store.getAncestry(self, ALPHA)).toStrictEqual(ids.slice(0, depth));
      }
    });

    it('takes the edge spawned earliest for the parent, whatever was created first', async () => {
      const world = await World.in(await factory());
      const [one, two, child] = [
        await world.session(),
        await world.session(),
        await world.session(),
      ];
      await world.edge(one, child, 2_000);
      const earlier = await world.edge(two, child, 1_000);
      expect(await world.store.getAncestry(child.id, ALPHA)).toStrictEqual([two.id, child.id]);

      await world.change(earlier, { spawnedAt: new Date(3_000) });
      expect(await world.store.getAncestry(child.id, ALPHA)).toStrictEqual([one.id, child.id]);
    });

    it('takes the edge with the smallest id among those spawned earliest', async () => {
      const world = await World.in(await factory());
      const child = await world.session();
      const parentOf = new Map<string, Session>();
      for (let i = 0; i < 6; i += 1) {
        const parent = await world.session();
        parentOf.set((await world.edge(parent, child, 1_000)).id, parent);
      }
      for (const id of [...parentOf.keys()].sort(byText)) {
        const parent = parentOf.get(id);
        expect(await world.store.getAncestry(child.id, ALPHA)).toStrictEqual([
          parent?.id,
          child.id,
        ]);
        await world.store.deleteSubSession(id as `sub_${string}`, ALPHA);
      }
      expect(await world.store.getAncestry(child.id, ALPHA)).toStrictEqual([child.id]);
    });
  });

  describe('cycles', () => {
    it('accepts an edge from a session to itself, and refuses to read through it', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      await world.edge(session, session);
      const error = await rejectionOf(
        world.store.getAncestry(session.id, ALPHA),
        AncestryCycleError,
      );
      expect(error.details).toStrictEqual({
        sessionId: session.id,
        cyclePath: [session.id, session.id],
      });
      expect(error.message).toContain('cycle');
    });

    it('names the path from self upward, ending with the repeated session', async () => {
      const world = await World.in(await factory());
      const [a, b, c] = [await world.session(), await world.session(), await world.session()];
      await world.edge(a, b);
      await world.edge(b, c);
      await world.edge(c, a);
      for (const [start, second, third] of [
        [a, c, b],
        [b, a, c],
        [c, b, a],
      ] as const) {
        const error = await rejectionOf(
          world.store.getAncestry(start.id, ALPHA),
          AncestryCycleError,
        );
        expect(error.details).toStrictEqual({
          sessionId: start.id,
          cyclePath: [start.id, second.id, third.id, start.id],
        });
      }
    });

    it('is met from a session below it too, by drill as well', async () => {
      const world = await World.in(await factory());
      const [a, b, below] = [await world.session(), await world.session(), await world.session()];
      await world.edge(a, b);
      await world.edge(b, a);
      await world.edge(a, below);
      const details = { sessionId: below.id, cyclePath: [below.id, a.id, b.id, a.id] };
      for (const method of ['getAncestry', 'drill'] as const) {
        const error = await rejectionOf(world.store[method](below.id, ALPHA), AncestryCycleError);
        expect(error.details, method).toStrictEqual(details);
      }
    });

    it('does not disturb reads that do not go through it', async () => {
      const world = await World.in(await factory());
      const [a, b, root] = [await world.session(), await world.session(), await world.session()];
      const down = await world.edge(a, b, 1);
      const up = await world.edge(b, a, 2);
      expect(await world.store.getChildren(a.id, ALPHA)).toStrictEqual([down]);
      expect(await world.store.getChildren(b.id, ALPHA)).toStrictEqual([up]);
      expect(await world.store.getSession(a.id, ALPHA)).toStrictEqual(a);

      await world.edge(root, a, 1);
      expect(await world.store.getAncestry(b.id, ALPHA)).toStrictEqual([root.id, a.id, b.id]);
      expect(await world.store.getAncestry(root.id, ALPHA)).toStrictEqual([root.id]);
    });

    it('is over when an edge of it is deleted', async () => {
      const world = await World.in(await factory());
      const [a, b] = [await world.session(), await world.session()];
      await world.edge(a, b);
      const up = await world.edge(b, a);
      await rejectionOf(world.store.drill(b.id, ALPHA), AncestryCycleError);
      await world.store.deleteSubSession(up.id, ALPHA);
      expect(await world.store.getAncestry(b.id, ALPHA)).toStrictEqual([a.id, b.id]);
    });
  });
}
