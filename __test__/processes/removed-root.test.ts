import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSessionStore, type Session, type SessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-root.js';
import { ALPHA, type World as AnyWorld, World } from '../support/world.js';
import { RemoteStore } from './support/remote-store.js';

const ROUNDS = 8;

interface Stores {
  readonly root: string;
  /** Of two other processes and of this one; all have the root open. */
  readonly all: readonly [SessionStore, SessionStore, SessionStore];
}

async function stores(): Promise<Stores> {
  const root = join(tempDir(), 'root');
  const [a, b] = await Promise.all([RemoteStore.start(root), RemoteStore.start(root)]);
  return { root, all: [a.store, b.store, new DiskSessionStore({ rootDir: root })] };
}

/** A parent with a child and a message, made by one store and read by every other. */
async function fill(by: SessionStore, all: readonly SessionStore[]): Promise<[AnyWorld, Session]> {
  const world = await World.in(by);
  const [parent, child] = await world.sessions(2);
  if (!parent || !child) throw new Error('two sessions');
  const edge = await world.edge(parent, child);
  await by.appendMessage(child.id, { role: 'user', content: child.id }, ALPHA);
  for (const store of all) {
    expect(await store.getSession(child.id, ALPHA)).toStrictEqual(child);
    expect(await store.getChildren(parent.id, ALPHA)).toStrictEqual([edge]);
    expect(await store.getAncestry(child.id, ALPHA)).toStrictEqual([parent.id, child.id]);
    expect(await store.loadMessages(child.id, ALPHA)).toHaveLength(1);
  }
  return [world, child];
}

async function expectGone(child: Session, all: readonly SessionStore[]): Promise<void> {
  for (const store of all) {
    expect(await store.getSession(child.id, ALPHA)).toBeNull();
    expect(await store.loadMessages(child.id, ALPHA)).toStrictEqual([]);
    expect(await store.getAncestry(child.id, ALPHA)).toStrictEqual([]);
    expect(await store.drill(child.id, ALPHA)).toBeNull();
  }
}

describe('a root that other processes have open', () => {
  it('is gone for all when it is removed, and no reading makes it again', async () => {
    const { root, all } = await stores();
    const [, child] = await fill(all[0], all);
    rmSync(root, { recursive: true });
    await expectGone(child, all);
    for (const store of all) {
      await expect(
        store.appendMessage(child.id, { role: 'user', content: 'x' }, ALPHA),
      ).rejects.toThrow('not found');
    }
    expect(existsSync(root)).toBe(false);
  });

  it('is the new one for all when one of them makes it again, over and over', async () => {
    const { root, all } = await stores();
    let [, old] = await fill(all[0], all);
    for (let round = 0; round < ROUNDS; round += 1) {
      rmSync(root, { recursive: true });
      // In part of the rounds nobody looks between the removal and the new root.
      if (round % 2 === 0) await expectGone(old, all);
      const maker = all[round % all.length] as SessionStore;
      const [, next] = await fill(maker, all);
      await expectGone(old, all);
      // The others write to the new root as well.
      for (const store of all) {
        await store.appendMessage(next.id, { role: 'user', content: 'more' }, ALPHA);
      }
      for (const store of all) {
        expect(await store.loadMessages(next.id, ALPHA)).toHaveLength(1 + all.length);
      }
      old = next;
    }
  });

  it('is the one that was put in its place, while the old one lives on elsewhere', async () => {
    const { root, all } = await stores();
    const other = `${root}-other`;
    const [, old] = await fill(all[0], all);
    const elsewhere = new DiskSessionStore({ rootDir: other });
    const [, next] = await fill(elsewhere, [elsewhere]);
    for (let round = 0; round < ROUNDS; round += 1) {
      renameSync(root, `${root}-aside`);
      renameSync(other, root);
      renameSync(`${root}-aside`, other);
      const [here, there] = round % 2 === 0 ? [next, old] : [old, next];
      for (const store of all) {
        expect(await store.getSession(here.id, ALPHA)).toStrictEqual(here);
        expect(await store.getSession(there.id, ALPHA)).toBeNull();
        await store.appendMessage(here.id, { role: 'user', content: 'here' }, ALPHA);
      }
      const moved = new DiskSessionStore({ rootDir: other });
      expect(await moved.getSession(there.id, ALPHA)).toStrictEqual(there);
    }
    const expected = 1 + (ROUNDS / 2) * all.length;
    for (const store of all) {
      expect(await store.loadMessages(old.id, ALPHA)).toHaveLength(expected);
    }
  });
});
