import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { ALPHA, UNKNOWN_SESSION, World } from './support/world.mjs';

const byText = (a: string, b: string) => (a < b ? -1 : 1);

export function describeLinkage(factory: SingleStoreFactory): void {
  describe('getChildren', () => {
    it('answers no children for a leaf and for a session that is not there', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const leaf = await world.session();
      await world.edge(parent, leaf);
      expect(await world.store.getChildren(leaf.id, ALPHA)).toStrictEqual([]);
      expect(await world.store.getChildren(UNKNOWN_SESSION, ALPHA)).toStrictEqual([]);
    });

    it('answers one level', async () => {
      const world = await World.in(await factory());
      const [root, middle, leaf] = [
        await world.session(),
        await world.session(),
        await world.session(),
      ];
      const upper = await world.edge(root, middle);
      const lower = await world.edge(middle, leaf);
      expect(await world.store.getChildren(root.id, ALPHA)).toStrictEqual([upper]);
      expect(await world.store.getChildren(middle.id, ALPHA)).toStrictEqual([lower]);
    });

    it('orders by spawnedAt, whatever the order of creation', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const times = [50, 10, 40, 20, 30];
      for (const time of times) await world.edge(parent, await world.session(), time);
      const children = await world.store.getChildren(parent.id, ALPHA);
      expect(children.map((edge) => edge.spawnedAt.getTime())).toStrictEqual([10, 20, 30, 40, 50]);
    });

    it('orders dates of any year with four digits', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const times = [-1, -62_135_596_800_000, 253_402_300_799_999, 0];
      for (const time of times) await world.edge(parent, await world.session(), time);
      const children = await world.store.getChildren(parent.id, ALPHA);
      expect(children.map((edge) => edge.spawnedAt.getTime())).toStrictEqual([
        -62_135_596_800_000, -1, 0, 253_402_300_799_999,
      ]);
    });

    it('orders edges of the same instant by creation, or by id', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const ids: string[] = [];
      for (let i = 0; i < 8; i += 1) {
        ids.push((await world.edge(parent, await world.session(), 1_000)).id);
      }
      const listed = async () =>
        (await world.store.getChildren(parent.id, ALPHA)).map((edge) => edge.id);
      const order = await listed();
      expect([ids, [...ids].sort(byText)]).toContainEqual(order);
      expect(await listed()).toStrictEqual(order);
    });

    it('reorders when an update moves spawnedAt', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const first = await world.edge(parent, await world.session(), 1);
      const second = await world.edge(parent, await world.session(), 2);
      const last = await world.change(first, { spawnedAt: new Date(3) });
      expect(await world.store.getChildren(parent.id, ALPHA)).toStrictEqual([second, last]);
    });

    it('follows an edge that an update gave another parent', async () => {
      const world = await World.in(await factory());
      const [from, to, child] = [
        await world.session(),
        await world.session(),
        await world.session(),
      ];
      const edge = await world.edge(from, child);
      const moved = await world.change(edge, { parentSessionId: to.id });
      expect(moved.parentSessionId).toBe(to.id);
      expect(await world.store.getChildren(from.id, ALPHA)).toStrictEqual([]);
      expect(await world.store.getChildren(to.id, ALPHA)).toStrictEqual([moved]);
      expect(await world.store.getAncestry(child.id, ALPHA)).toStrictEqual([to.id, child.id]);

      const back = await world.change(moved, { parentSessionId: from.id });
      expect(await world.store.getChildren(from.id, ALPHA)).toStrictEqual([back]);
      expect(await world.store.getChildren(to.id, ALPHA)).toStrictEqual([]);
    });

    it('merges edges that moved in with those that were there, by spawnedAt', async () => {
      const world = await World.in(await factory());
      const [from, to] = [await world.session(), await world.session()];
      const early = await world.edge(to, await world.session(), 10);
      const late = await world.edge(to, await world.session(), 30);
      const moving = await world.edge(from, await world.session(), 20);
      const moved = await world.change(moving, { parentSessionId: to.id });
      expect(await world.store.getChildren(to.id, ALPHA)).toStrictEqual([early, moved, late]);
    });

    it('follows an edge that an update gave another child', async () => {
      const world = await World.in(await factory());
      const [parent, from, to] = [
        await world.session(),
        await world.session(),
        await world.session(),
      ];
      const edge = await world.edge(parent, from);
      const moved = await world.change(edge, { childSessionId: to.id });
      expect(await world.store.getChildren(parent.id, ALPHA)).toStrictEqual([moved]);
      expect(await world.store.getAncestry(from.id, ALPHA)).toStrictEqual([from.id]);
      expect(await world.store.getAncestry(to.id, ALPHA)).toStrictEqual([parent.id, to.id]);
    });

    it('deletes an edge that was given another parent', async () => {
      const world = await World.in(await factory());
      const [from, to, child] = [
        await world.session(),
        await world.session(),
        await world.session(),
      ];
      const moved = await world.change(await world.edge(from, child), { parentSessionId: to.id });
      await world.store.deleteSubSession(moved.id, ALPHA);
      expect(await world.store.getSubSession(moved.id, ALPHA)).toBeNull();
      expect(await world.store.getChildren(to.id, ALPHA)).toStrictEqual([]);
      expect(await world.store.getAncestry(child.id, ALPHA)).toStrictEqual([child.id]);
    });

    it('answers an edge from a session to itself among its own children', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const loop = await world.edge(session, session);
      expect(await world.store.getChildren(session.id, ALPHA)).toStrictEqual([loop]);
    });
  });
}
