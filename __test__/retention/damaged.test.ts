/** Sweeps of a project in which a record cannot be read. */

import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { said } from '../extensions/stores.js';
import { reopened } from '../support/disk-world.js';
import { sessionFile, subSessionFile } from '../support/paths.js';
import { tempRoot } from '../support/temp-root.js';
import { writeText } from '../support/tree.js';
import { ALPHA, World } from '../support/world.js';
import { diskBackend, managerOf } from './archive-world.js';

const ALL = { maxSubSessionsPerProject: 0 } as const;

/** Two parents, each with two idle children. */
async function families() {
  const root = tempRoot();
  const store = new DiskSessionStore({ rootDir: root });
  const world = await World.in(store);
  const family = async () => {
    const parent = await world.session();
    const child = async () => {
      const session = await world.session();
      await store.appendMessage(session.id, said('a'), ALPHA);
      const edge = await world.change(await world.edge(parent, session), { status: 'idle' });
      return { session, edge };
    };
    return { parent, children: [await child(), await child()] as const };
  };
  const made = { root, world, broken: await family(), whole: await family() };
  await store.close();
  return made;
}
type Families = Awaited<ReturnType<typeof families>>;

const DAMAGE: Record<string, (made: Families) => { file: string; id: string; swept: string[] }> = {
  'a child': ({ broken, whole }) => ({
    file: sessionFile(broken.children[0].session),
    id: broken.children[0].session.id,
    swept: [broken.children[1], ...whole.children].map(({ edge }) => edge.id),
  }),
  'a parent': ({ broken, whole }) => ({
    file: sessionFile(broken.parent),
    id: broken.parent.id,
    swept: whole.children.map(({ edge }) => edge.id),
  }),
  'a sub-session': ({ broken, whole }) => ({
    file: subSessionFile(broken.parent, broken.children[0].edge),
    id: broken.parent.id,
    swept: whole.children.map(({ edge }) => edge.id),
  }),
};

describe.each(Object.entries(DAMAGE))('a sweep where %s cannot be read', (_, damageOf) => {
  it.each([
    ['over our store', (store: DiskSessionStore) => store],
    ['over a wrapped store', (store: DiskSessionStore) => new Proxy(store, {})],
  ])('archives the others, and names it: %s', async (__, wrap) => {
    const made = await families();
    const { file, id, swept } = damageOf(made);
    const { store, root } = await reopened(made.root, (copy) => writeText(copy, file, '{'));
    const manager = managerOf(wrap(store), diskBackend(root));
    const sweep = (dryRun: boolean) =>
      manager.sweep(made.world.project.id, ALPHA, { policy: ALL, evict: true, dryRun });
    for (const dryRun of [true, false]) {
      const { archived, failed, damaged } = await sweep(dryRun);
      expect(archived.map(({ subSessionId }) => subSessionId).sort()).toStrictEqual(swept.sort());
      expect(failed).toStrictEqual([]);
      expect(damaged).toStrictEqual([{ id, path: file, reason: expect.stringMatching(/./) }]);
    }
    const again = await sweep(false);
    expect([again.archived, again.failed, again.damaged?.length]).toStrictEqual([[], [], 1]);
  });
});

it('a sweep of what can be read names nothing', async () => {
  const { root, world } = await families();
  const manager = managerOf(new DiskSessionStore({ rootDir: root }), diskBackend(root));
  const swept = await manager.sweep(world.project.id, ALPHA, { policy: ALL });
  expect([swept.archived.length, 'damaged' in swept]).toStrictEqual([4, false]);
});
