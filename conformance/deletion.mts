import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejection } from './support/rejection.mjs';
import { ALPHA, UNKNOWN_SESSION, World } from './support/world.mjs';

export function describeDeletion(factory: SingleStoreFactory): void {
  describe('deleteSession', () => {
    it('removes the session, its messages and its summary', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
      await world.store.recordSummary(world.summary(session), ALPHA);

      expect(await world.store.deleteSession(session.id, ALPHA)).toBeUndefined();

      expect(await world.store.getSession(session.id, ALPHA)).toBeNull();
      expect(await world.store.loadMessages(session.id, ALPHA)).toStrictEqual([]);
      expect(await world.store.loadSessionMessages(session.id, ALPHA)).toStrictEqual([]);
      expect(await world.store.getSummary(session.id, ALPHA)).toBeNull();
      expect(await world.store.drill(session.id, ALPHA)).toBeNull();
      expect(await world.store.getAncestry(session.id, ALPHA)).toStrictEqual([]);
    });

    it('makes later writes to the session fail as for one that never was', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      await world.store.deleteSession(session.id, ALPHA);
      const writes = [
        world.store.updateSession(session, ALPHA),
        world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA),
        world.store.recordSummary(world.summary(session), ALPHA),
      ];
      for (const { message } of await Promise.all(writes.map(rejection))) {
        expect(message).toContain('not found');
      }
      expect(await world.store.getSession(session.id, ALPHA)).toBeNull();
    });

    it('leaves its siblings and its project alone', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const sibling = await world.session();
      await world.store.appendMessage(sibling.id, { role: 'user', content: 'kept' }, ALPHA);
      await world.store.deleteSession(session.id, ALPHA);
      expect(await world.store.getSession(sibling.id, ALPHA)).toStrictEqual(sibling);
      expect(await world.store.loadMessages(sibling.id, ALPHA)).toHaveLength(1);
      expect(await world.store.getProject(world.project.id, ALPHA)).toStrictEqual(world.project);
    });

    it('is a no-op for a session that is not there, also the second time', async () => {
      const world = await World.in(await factory());
      expect(await world.store.deleteSession(UNKNOWN_SESSION, ALPHA)).toBeUndefined();
      const session = await world.session();
      await world.store.deleteSession(session.id, ALPHA);
      expect(await world.store.deleteSession(session.id, ALPHA)).toBeUndefined();
    });

    it.each(['parent', 'child'] as const)('is refused for the %s of an edge', async (end) => {
      const world = await World.in(await factory());
      const sessions = { parent: await world.session(), child: await world.session() };
      const edge = await world.edge(sessions.parent, sessions.child);
      const session = sessions[end];
      await world.store.appendMessage(session.id, { role: 'user', content: 'kept' }, ALPHA);

      const error = await rejection(world.store.deleteSession(session.id, ALPHA));

      expect(error.message).toContain('attached sub-sessions');
      expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
      expect(await world.store.loadMessages(session.id, ALPHA)).toHaveLength(1);
      expect(await world.store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    });

    it('is refused whatever the status of the edge', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const child = await world.session();
      const edge = await world.edge(parent, child);
      for (const status of ['archived', 'merged', 'failed'] as const) {
        await world.change(edge, { status });
        for (const session of [parent, child]) {
          const error = await rejection(world.store.deleteSession(session.id, ALPHA));
          expect(error.message).toContain('attached sub-sessions');
        }
      }
    });

    it('is allowed once every edge is gone', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const child = await world.session();
      const first = await world.edge(parent, child);
      const second = await world.edge(parent, child);
      await world.store.deleteSubSession(first.id, ALPHA);
      await rejection(world.store.deleteSession(child.id, ALPHA));
      await world.store.deleteSubSession(second.id, ALPHA);
      await world.store.deleteSession(child.id, ALPHA);
      await world.store.deleteSession(parent.id, ALPHA);
      expect(await world.store.getSession(child.id, ALPHA)).toBeNull();
      expect(await world.store.getSession(parent.id, ALPHA)).toBeNull();
    });

    it('follows an edge that an update gave other ends', async () => {
      const world = await World.in(await factory());
      const before = { parent: await world.session(), child: await world.session() };
      const after = { parent: await world.session(), child: await world.session() };
      const edge = await world.edge(before.parent, before.child);
      await world.change(edge, {
        parentSessionId: after.parent.id,
        childSessionId: after.child.id,
      });

      for (const held of [after.parent, after.child]) {
        const error = await rejection(world.store.deleteSession(held.id, ALPHA));
        expect(error.message).toContain('attached sub-sessions');
      }
      for (const free of [before.child, before.parent]) {
        await world.store.deleteSession(free.id, ALPHA);
        expect(await world.store.getSession(free.id, ALPHA)).toBeNull();
      }
      expect(await world.store.getChildren(after.parent.id, ALPHA)).toMatchObject([
        { id: edge.id },
      ]);
      expect(await world.store.getSubSession(edge.id, ALPHA)).toMatchObject({ id: edge.id });
      expect(await world.store.getAncestry(after.child.id, ALPHA)).toStrictEqual([
        after.parent.id,
        after.child.id,
      ]);
    });
  });

  describe('deleteSubSession', () => {
    it('removes the edge and never the child session', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const child = await world.session();
      const edge = await world.edge(parent, child);
      await world.store.appendMessage(child.id, { role: 'user', content: 'kept' }, ALPHA);
      await world.store.recordSummary(world.summary(child), ALPHA);

      expect(await world.store.deleteSubSession(edge.id, ALPHA)).toBeUndefined();

      expect(await world.store.getSubSession(edge.id, ALPHA)).toBeNull();
      expect(await world.store.getChildren(parent.id, ALPHA)).toStrictEqual([]);
      expect(await world.store.getAncestry(child.id, ALPHA)).toStrictEqual([child.id]);
      expect(await world.store.getSession(child.id, ALPHA)).toMatchObject({ id: child.id });
      expect(await world.store.loadMessages(child.id, ALPHA)).toHaveLength(1);
      expect(await world.store.getSummary(child.id, ALPHA)).not.toBeNull();
    });

    it('leaves the other edges of the same parent', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const gone = await world.edge(parent, await world.session(), 1);
      const kept = await world.edge(parent, await world.session(), 2);
      await world.store.deleteSubSession(gone.id, ALPHA);
      expect(await world.store.getChildren(parent.id, ALPHA)).toStrictEqual([kept]);
    });

    it('makes a later update of the edge fail', async () => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      await world.store.deleteSubSession(edge.id, ALPHA);
      const error = await rejection(world.store.updateSubSession(edge, ALPHA));
      expect(error.message).toContain('not found');
      expect(await world.store.getSubSession(edge.id, ALPHA)).toBeNull();
    });

    it('is a no-op for an edge that is not there, also the second time', async () => {
      const world = await World.in(await factory());
      expect(await world.store.deleteSubSession('sub_nobodyknows1', ALPHA)).toBeUndefined();
      const edge = await world.edge(await world.session(), await world.session());
      await world.store.deleteSubSession(edge.id, ALPHA);
      expect(await world.store.deleteSubSession(edge.id, ALPHA)).toBeUndefined();
    });
  });
}
