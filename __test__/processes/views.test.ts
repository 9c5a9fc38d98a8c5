import { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, present, World } from '../support/world.js';
import { RemoteStore, StoreGoneError } from './support/remote-store.js';

const VIEWS = 400;

it('a view of a session is of one instant while another process changes what it shows', async () => {
  const root = tempRoot();
  const store = new DiskSessionStore({ rootDir: root });
  const world = await World.in(store);
  const [top, left, right, below] = await world.sessions(4);
  if (!top || !left || !right || !below) throw new Error('four sessions');
  const up = await world.edge(left, top);
  const down = await world.edge(top, below);

  // A writer moves the upper edge and back, each time together with the lower one's status, and
  // always in this order: the status first, then the parent.
  const writer = await RemoteStore.start(root);
  async function changeForEver(): Promise<void> {
    try {
      for (;;) {
        await writer.store.updateSubSession({ ...down, status: 'active' }, ALPHA);
        await writer.store.updateSubSession(
          { ...up, parentSessionId: right?.id ?? up.parentSessionId },
          ALPHA,
        );
        await writer.store.updateSubSession({ ...up }, ALPHA);
        await writer.store.updateSubSession({ ...down, status: 'idle' }, ALPHA);
      }
    } catch (error) {
      if (!(error instanceof StoreGoneError)) throw error;
    }
  }
  await writer.store.updateSubSession({ ...down, status: 'idle' }, ALPHA);
  const changing = changeForEver();
  const seen = new Set<string>();
  for (let i = 0; i < VIEWS; i += 1) {
    const { children, ancestry } = present(await store.drill(top.id, ALPHA));
    const parent = ancestry[0] === left.id ? 'left' : 'right';
    expect(ancestry).toHaveLength(2);
    expect(children).toHaveLength(1);
    seen.add(`${children[0]?.status} below ${parent}`);
  }
  await writer.kill();
  await changing;
  expect([...seen].sort(), 'never idle below right, which never was').toStrictEqual([
    'active below left',
    'active below right',
    'idle below left',
  ]);
});
