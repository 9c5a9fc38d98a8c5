import { DiskSessionStore, type Durability } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { filesWith, journalIsEmpty, trashOf } from './engine-files.js';

const MARKER = 'q7Zk-only-here';

/** A session that says the marker wherever a caller may say something, and an edge to it. */
async function markedSession(world: World, filler = '') {
  const { store } = world;
  const actor = { kind: 'user', userId: `usr_${MARKER}`, tenantId: ALPHA } as const;
  const session = await world.session(actor);
  for (let i = 0; i < 30; i += 1) {
    const content = `${MARKER} ${i} ${filler}`;
    await store.appendMessage(session.id, { role: 'user', content }, ALPHA);
  }
  const at = new Date();
  await store.recordSummary(
    world.summary(session, {
      agentSummary: MARKER,
      keyDecisions: [{ at, summary: MARKER }],
      outcome: { status: 'failed', verdict: MARKER },
    }),
    ALPHA,
  );
  await store.updateSession({ ...session, status: 'active', previousActors: [actor] }, ALPHA);
  const edge = await world.edge(await world.session(), session);
  await store.updateSubSession({ ...edge, broadcastGroupId: MARKER }, ALPHA);
  return { session, edge };
}

async function openedWorld(durability: Durability) {
  const root = tempRoot();
  const store = new DiskSessionStore({ rootDir: root, durability });
  return { root, store, world: await World.in(store) };
}

describe.each(['full', 'relaxed'] as const)('what a %s store deleted', (durability) => {
  it.each([
    ['little', ''],
    ['more than a journal holds', 'f'.repeat(400_000)],
  ])('is in no file of the root once the store is closed: %s', async (_, filler) => {
    const { root, store, world } = await openedWorld(durability);
    const { session, edge } = await markedSession(world, filler);
    await store.flush();
    expect(filesWith(root, MARKER)).toContain('.store/frames');
    await store.deleteSubSession(edge.id, ALPHA);
    await store.deleteSession(session.id, ALPHA);
    await store.close();
    expect(filesWith(root, MARKER)).toStrictEqual([]);
    expect(filesWith(root, session.id)).toStrictEqual(['.store/index']);
    expect(journalIsEmpty(root)).toBe(true);
    expect(trashOf(root)).toStrictEqual([]);
  });

  it('is in no file once another store of the root is closed', async () => {
    const { root, store, world } = await openedWorld(durability);
    const { session, edge } = await markedSession(world);
    await store.deleteSubSession(edge.id, ALPHA);
    await store.deleteSession(session.id, ALPHA);
    await new DiskSessionStore({ rootDir: root }).close();
    expect(filesWith(root, MARKER)).toStrictEqual([]);
    expect(await store.getSession(session.id, ALPHA)).toBeNull();
  });

  it('is in no file when the deletion was only started before the closing', async () => {
    const { root, store, world } = await openedWorld(durability);
    const { session, edge } = await markedSession(world);
    const deleting = [
      store.deleteSubSession(edge.id, ALPHA),
      store.deleteSession(session.id, ALPHA),
    ];
    await store.close();
    await Promise.all(deleting);
    expect(filesWith(root, MARKER)).toStrictEqual([]);
  });

  it('is in no file when a checkpoint came between the deletion and the closing', async () => {
    const { root, store, world } = await openedWorld(durability);
    const { session, edge } = await markedSession(world);
    await store.deleteSubSession(edge.id, ALPHA);
    await store.deleteSession(session.id, ALPHA);
    await new DiskSessionStore({ rootDir: root }).close();
    await world.session();
    await store.close();
    expect(filesWith(root, MARKER)).toStrictEqual([]);
  });

  it('and what it overwrote is gone as well', async () => {
    const { root, store, world } = await openedWorld(durability);
    const session = await world.session({ kind: 'user', userId: 'usr_gone', tenantId: ALPHA });
    await store.updateSession({ ...session, currentActor: null }, ALPHA);
    await store.close();
    expect(filesWith(root, 'usr_gone')).toStrictEqual([]);
  });
});
