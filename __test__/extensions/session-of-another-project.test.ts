import type { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { diskWorld } from '../support/disk-world.js';
import { ALPHA } from '../support/world.js';

it('a session whose update names another project is in a list, or the update is refused', async () => {
  const { world } = await diskWorld();
  const store = world.store as DiskSessionStore;
  const session = await world.session();
  const other = await store.createProject({ tenantId: ALPHA, name: 'other' }, ALPHA);
  const moved = await store.updateSession({ ...session, projectId: other.id }, ALPHA).then(
    () => true,
    () => false,
  );
  const lists = [
    await store.listSessionsByProject(world.project.id, ALPHA),
    await store.listSessionsByProject(other.id, ALPHA),
  ];
  const listed = lists.flatMap(({ items }) => items.map(({ id }) => id));
  expect({ moved, listed }).toStrictEqual({ moved, listed: [session.id] });
});
