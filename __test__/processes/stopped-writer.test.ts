import { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { checkLane } from './support/check-lane.js';
import { Lane } from './support/lane.js';
import { RemoteStore } from './support/remote-store.js';
import { seeded, sleep } from './support/seed.js';

const STOPS = 15;

it.skipIf(process.platform === 'win32')(
  'a writer that is stopped at any moment, then killed, has let others read all it acknowledged',
  async () => {
    const { random, seed } = seeded('stopped writers');
    const root = tempRoot();
    const store = new DiskSessionStore({ rootDir: root });
    const world = await World.in(store);
    for (let stop = 0; stop < STOPS; stop += 1) {
      const shared = (await world.session()).id;
      const writer = await RemoteStore.start(root);
      const lanes = Array.from({ length: 4 }, (_, i) => {
        const place = { name: `${seed}.${stop}.${i}`, project: world.project.id, shared };
        return new Lane(place, random);
      });
      const running = Promise.all(lanes.map((lane) => lane.run(writer.store)));
      await sleep(random.below(25));
      writer.signal('SIGSTOP');
      // Reading waits for nobody, even where the writer holds the root's lock.
      for (const lane of lanes) {
        const acknowledged = [...lane.sharedMessages];
        const log = await store.loadSessionMessages(shared, ALPHA);
        expect(log.map(({ id }) => id)).toStrictEqual(expect.arrayContaining(acknowledged));
        if (lane.root === null) continue;
        const { id } = lane.root;
        const own = [...lane.root.messages];
        expect(await store.getSession(id, ALPHA)).toMatchObject({ id });
        const messages = await store.loadSessionMessages(id, ALPHA);
        expect(messages.slice(0, own.length).map((one) => one.id)).toStrictEqual(own);
        await store.getChildren(id, ALPHA);
        await store.getAncestry(id, ALPHA);
      }
      await writer.kill();
      await running;
      for (const lane of lanes) await checkLane(lane, store);
    }
  },
  60_000,
);
