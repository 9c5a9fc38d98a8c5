import { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { RemoteStore, StoreGoneError } from './support/remote-store.js';
import { seeded, sleep } from './support/seed.js';

const STOPS = 12;
/** Much longer than any view takes: who has not got it by then waits for the stopped process. */
const LONG = 4_000;

it.skipIf(process.platform === 'win32')(
  'a view of a session never waits for a writer that is stopped',
  async () => {
    const { random } = seeded('views beside stopped writers');
    const root = tempRoot();
    const store = new DiskSessionStore({ rootDir: root });
    const world = await World.in(store);
    const session = await world.session();
    for (let stop = 0; stop < STOPS; stop += 1) {
      const writer = await RemoteStore.start(root, 'relaxed');
      // Most of the time that a new session takes goes into the folders and files of its own.
      const params = { projectId: world.project.id, currentActor: null };
      const create = async () => {
        for (;;) await writer.store.createSession(params, ALPHA);
      };
      const creating = Promise.all(Array.from({ length: 16 }, create)).catch((error) => {
        if (!(error instanceof StoreGoneError)) throw error;
      });
      await sleep(random.below(25));
      writer.signal('SIGSTOP');
      const drilled = store.drill(session.id, ALPHA);
      const waited = await Promise.race([drilled, sleep(LONG).then(() => 'waits')]);
      await writer.kill();
      await creating;
      expect(waited, `stop ${stop}`).toMatchObject({ session: { id: session.id } });
      expect(await drilled).toStrictEqual(waited);
    }
  },
  60_000,
);
