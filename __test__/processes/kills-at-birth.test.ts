import { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { RemoteStore, StoreGoneError } from './support/remote-store.js';
import { seeded, sleep } from './support/seed.js';

const ROOTS = 10;
const WRITERS = 2;

it('a root whose first writers are killed holds what they acknowledged and goes on', async () => {
  const { random } = seeded('kills at birth');
  let acknowledged = 0;
  for (let i = 0; i < ROOTS; i += 1) {
    const root = tempRoot();
    const worlds: World[] = [];
    const writers = await Promise.all(
      Array.from({ length: WRITERS }, () => RemoteStore.start(root)),
    );
    const lives = writers.map(async (writer) => {
      const born = World.in(writer.store).then(
        (world) => void worlds.push(world),
        (error) => {
          if (!(error instanceof StoreGoneError)) throw error;
        },
      );
      // Making a root takes a few milliseconds: most of these are in the middle of it.
      await sleep(random.below(12));
      await writer.kill();
      await born;
    });
    await Promise.all(lives);
    acknowledged += worlds.length;

    const store = new DiskSessionStore({ rootDir: root });
    for (const { project } of worlds) {
      expect(await store.getProject(project.id, ALPHA)).toStrictEqual(project);
    }
    const later = await World.in(store);
    const session = await later.session();
    await store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
    const other = await RemoteStore.start(root);
    expect(await other.store.getSession(session.id, ALPHA)).toStrictEqual(session);
    expect(await other.store.loadMessages(session.id, ALPHA)).toHaveLength(1);
    for (const { project } of [...worlds, later]) {
      expect(await other.store.getProject(project.id, ALPHA)).toStrictEqual(project);
    }
    await other.kill();
  }
  expect(acknowledged, 'killed before and after').toBeLessThan(ROOTS * WRITERS);
}, 60_000);
