import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskSessionStore, type Durability } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { namesBelow } from '../support/tree.js';
import { ALPHA, World } from '../support/world.js';
import { checkLane } from './support/check-lane.js';
import { Lane } from './support/lane.js';
import { RemoteStore } from './support/remote-store.js';
import { seeded, sleep } from './support/seed.js';

/** `NAMZU_KILLS=5000 npx vitest run processes/kills` goes on for longer. */
const KILLS = Number(process.env.NAMZU_KILLS ?? 200) / 2;
const LANES = 4;
const DURABILITIES: readonly Durability[] = ['full', 'relaxed'];

describe.each(DURABILITIES)('a writer that is killed, with durability %s', (durability) => {
  it('leaves everything that it acknowledged, and nothing by halves', async ({ signal }) => {
    const { random, seed } = seeded(`kills, ${durability}`);
    const root = tempRoot();
    const standing = new DiskSessionStore({ rootDir: root });
    const world = await World.in(standing);
    const checked: { lane: Lane; read: unknown[] }[] = [];

    /** One writer from its start to its death, and what is there then. */
    async function lifeOfAWriter(name: string, fresh: boolean): Promise<void> {
      const shared = (await world.session()).id;
      const writer = await RemoteStore.start(root, durability);
      const lanes = Array.from({ length: LANES }, (_, i) => {
        const place = { name: `${name}.${i}`, project: world.project.id, shared };
        return new Lane(place, random);
      });
      const running = Promise.all(lanes.map((lane) => lane.run(writer.store)));
      await Promise.race([running, sleep(random.below(30))]);
      await writer.kill();
      await running;
      const reader = fresh ? await RemoteStore.start(root, durability) : null;
      // Other writers may be about to finish what this one left; after a write of ours it is done.
      if (!fresh) await world.session();
      for (const lane of lanes) {
        checked.push({ lane, read: await checkLane(lane, reader?.store ?? standing) });
      }
      await reader?.kill();
    }

    let kills = 0;
    for (let round = 0; kills < KILLS; round += 1) {
      signal.throwIfAborted();
      const writers = round % 2 === 0 ? 1 : 3;
      const lives = Array.from({ length: writers }, (_, i) =>
        lifeOfAWriter(`${seed}.${round}.${i}`, writers === 1),
      );
      await Promise.all(lives);
      kills += writers;
    }

    const acknowledged = checked.reduce((sum, { lane }) => sum + lane.acknowledged, 0);
    expect(acknowledged, 'the writers got somewhere').toBeGreaterThan(0);
    const last = await RemoteStore.start(root, durability);
    for (const { lane, read } of checked) {
      expect(await checkLane(lane, last.store), 'nothing changes later').toStrictEqual(read);
    }
    await checkFiles(root, last);
  }, 120_000);
});

/** After another mutation that is in the records nothing unfinished lies around. */
async function checkFiles(root: string, remote: RemoteStore): Promise<void> {
  await World.in(remote.store, ALPHA);
  await remote.store.flush();
  const names = await namesBelow(root);
  expect(names.filter((name) => name.endsWith('.tmp'))).toStrictEqual([]);
  for (const name of names.filter((one) => one.endsWith('messages.jsonl'))) {
    const text = await readFile(join(root, name), 'utf8');
    expect(text.endsWith('\n'), name).toBe(true);
    for (const line of text.slice(0, -1).split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  }
}
