import { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { RemoteStore, StoreGoneError } from './support/remote-store.js';
import { seeded, sleep } from './support/seed.js';

const KILLS = Number(process.env.NAMZU_KILLS ?? 20);

/** Appends for ever; what is interrupted by the end of the process is nobody's concern. */
async function appendForEver(remote: RemoteStore, session: `ses_${string}`): Promise<void> {
  const message = { role: 'user', content: 'x'.repeat(2_000) } as const;
  try {
    for (;;) await remote.store.appendMessage(session, message, ALPHA);
  } catch (error) {
    if (!(error instanceof StoreGoneError)) throw error;
  }
}

it('what is read after a writer’s death stays so: nothing of its appears later', async () => {
  const { random } = seeded('died after the commit');
  const root = tempRoot();
  const open = new DiskSessionStore({ rootDir: root });
  const world = await World.in(open);
  const appeared: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { id } = await world.session();
    const writer = await RemoteStore.start(root);
    const running = Promise.all(Array.from({ length: 8 }, () => appendForEver(writer, id)));
    await sleep(random.below(20));
    await writer.kill();
    await running;
    const before = await open.loadSessionMessages(id, ALPHA);
    await world.session(); // a transaction of somebody else, on something else
    const after = await open.loadSessionMessages(id, ALPHA);
    if (after.length !== before.length) {
      appeared.push(`kill ${kill}: ${before.length} messages, then ${after.length}`);
    }
  }
  expect(appeared).toStrictEqual([]);
}, 60_000);
