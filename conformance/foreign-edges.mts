import type { SessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejection } from './support/rejection.mjs';
import { ALPHA, BETA, World } from './support/world.mjs';

/** Edges of BETA that an update bent so that ALPHA's sessions are their ends. */
async function bentEdges(store: SessionStore) {
  const alpha = await World.in(store, ALPHA);
  const beta = await World.in(store, BETA);
  const [parent, child] = [await alpha.session(), await alpha.session()];
  const own = await alpha.edge(parent, child, 2_000);
  const theirs = await beta.session();
  const below = await beta.edge(theirs, await beta.session(), 1_000);
  await store.updateSubSession({ ...below, parentSessionId: parent.id }, BETA);
  const above = await beta.edge(theirs, await beta.session(), 1_000);
  await store.updateSubSession({ ...above, childSessionId: child.id }, BETA);
  return { parent, child, own, below, above };
}

export function describeForeignEdges(factory: SingleStoreFactory): void {
  describe("edges of another tenant at one's sessions", () => {
    it('are left out of children, ancestry and drill', async () => {
      const store = await factory();
      const { parent, child, own } = await bentEdges(store);
      expect(await store.getChildren(parent.id, ALPHA)).toStrictEqual([own]);
      expect(await store.getAncestry(child.id, ALPHA)).toStrictEqual([parent.id, child.id]);
      expect(await store.drill(parent.id, ALPHA)).toMatchObject({ children: [{ id: own.id }] });
      expect(await store.drill(child.id, ALPHA)).toMatchObject({
        ancestry: [parent.id, child.id],
      });
    });

    it('block the deletion of a session all the same', async () => {
      const store = await factory();
      const { parent, child, own, below, above } = await bentEdges(store);
      await store.deleteSubSession(own.id, ALPHA);
      for (const session of [parent, child]) {
        const error = await rejection(store.deleteSession(session.id, ALPHA));
        expect(error.message).toContain('attached sub-sessions');
        expect(error.message, 'the other tenant is not revealed').not.toContain(BETA);
      }
      await store.deleteSubSession(below.id, BETA);
      await store.deleteSession(parent.id, ALPHA);
      await store.deleteSubSession(above.id, BETA);
      await store.deleteSession(child.id, ALPHA);
      expect(await store.getSession(parent.id, ALPHA)).toBeNull();
      expect(await store.getSession(child.id, ALPHA)).toBeNull();
    });
  });
}
