import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { diskWorld } from '../support/disk-world.js';
import { ALPHA } from '../support/world.js';

describe('a folder of projects that is none', () => {
  it.each([
    ['a link', 'ELOOP', (at: string, aside: string) => symlinkSync(aside, at)],
    ['a file', 'ENOTDIR', (at: string) => writeFileSync(at, '')],
  ])('%s is an error of every call that needs it, not an empty root', async (_, code, plant) => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    await (world.store as DiskSessionStore).close();
    renameSync(join(root, 'projects'), join(root, '..', 'aside'));
    plant(join(root, 'projects'), join(root, '..', 'aside'));
    const calls: Record<string, (store: DiskSessionStore) => Promise<unknown>> = {
      getProject: (store) => store.getProject(world.project.id, ALPHA),
      listProjects: (store) => store.listProjects(ALPHA),
      getSession: (store) => store.getSession(session.id, ALPHA),
      loadMessages: (store) => store.loadMessages(session.id, ALPHA),
      drill: (store) => store.drill(session.id, ALPHA),
    };
    for (const [name, call] of Object.entries(calls)) {
      const refused = { name: 'StoreIoError', details: { code } };
      const answer = call(new DiskSessionStore({ rootDir: root }));
      await expect.soft(answer, name).rejects.toMatchObject(refused);
    }
  });
});
