import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { diskWorld } from '../support/disk-world.js';
import { HandWrittenRoot } from '../support/hand-written.js';
import { tempDir } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';

const remove = (dir: string) => rmSync(dir, { recursive: true });

describe('a root that is removed under an open store', () => {
  it('reads as empty and is not made again by reading', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
    remove(root);
    expect(await world.store.getProject(world.project.id, ALPHA)).toBeNull();
    expect(await world.store.getSession(session.id, ALPHA)).toBeNull();
    expect(await world.store.loadMessages(session.id, ALPHA)).toStrictEqual([]);
    expect(existsSync(root)).toBe(false);
  });

  it('is made again by the next write, with nothing of the old one in it', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    remove(root);
    const again = await World.in(world.store);
    expect(await again.store.getProject(again.project.id, ALPHA)).toStrictEqual(again.project);
    expect(await again.store.getSession(session.id, ALPHA)).toBeNull();
    expect(existsSync(join(root, 'projects', world.project.id))).toBe(false);
  });

  it('answers what a root that took its place holds', async () => {
    const { world, root } = await diskWorld();
    const old = await world.session();
    await world.edge(old, old);
    remove(root);
    const hand = new HandWrittenRoot(root);
    await hand.project('prj_new');
    await hand.session('prj_new', 'ses_new');
    await hand.session('prj_new', old.id);
    await hand.edge('prj_new', 'ses_new', old.id, 'sub_new');
    expect(await world.store.getSession(old.id, ALPHA)).toMatchObject({ projectId: 'prj_new' });
    expect(await world.store.getChildren(old.id, ALPHA)).toStrictEqual([]);
    expect(await world.store.getAncestry(old.id, ALPHA)).toStrictEqual(['ses_new', old.id]);
  });
});

describe('roots that come and go in one process', () => {
  // File systems give a new directory the inode of one that was just removed.
  it('are never taken for one another', async () => {
    const dir = tempDir();
    const lost: string[] = [];
    for (let i = 0; i < 50; i += 1) {
      const rootDir = join(dir, `root-${i}`);
      const world = await World.in(new DiskSessionStore({ rootDir }));
      const session = await world.session().catch(() => null);
      const read = session && (await world.store.getSession(session.id, ALPHA));
      if (read === null) lost.push(rootDir);
      remove(rootDir);
    }
    expect(lost).toStrictEqual([]);
  });
});
