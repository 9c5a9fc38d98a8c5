import { DiskSessionStore, type Durability, type SessionId } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, present } from '../support/world.js';
import { runScript } from './support/run-script.js';
import { seeded } from './support/seed.js';

const ROUNDS = 5;
const DURABILITIES: readonly Durability[] = ['full', 'relaxed'];

interface Caller {
  readonly id: SessionId;
  readonly appended: number;
  readonly updated: number;
  readonly numbers: readonly number[];
  readonly ownerVersion: number;
}

describe.each(DURABILITIES)('worker threads that are terminated, durability %s', (durability) => {
  it('do not crash the process and lose nothing that was acknowledged', async () => {
    const { seed } = seeded(`terminated threads, ${durability}`);
    const root = tempRoot();
    const args = [root, durability, ROUNDS, seed];
    const callers = await runScript<Caller[]>('killed-threads.mjs', args);
    const later = new DiskSessionStore({ rootDir: root });
    for (const { id, appended, updated, numbers, ownerVersion } of callers) {
      expect(numbers).toStrictEqual(numbers.map((_, n) => n));
      expect([appended, appended + 1], `messages of ${id}`).toContain(numbers.length);
      expect([updated, updated + 1], `version of ${id}`).toContain(ownerVersion);
      expect(await later.loadMessages(id, ALPHA)).toHaveLength(numbers.length);
      expect(present(await later.getSession(id, ALPHA)).ownerVersion).toBe(ownerVersion);
    }
    const acknowledged = callers.reduce((sum, { appended }) => sum + appended, 0);
    expect(acknowledged, 'the threads got somewhere').toBeGreaterThan(callers.length);
  }, 100_000);
});
