import { DiskSessionStore, type Durability, type SessionId } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, present } from '../support/world.js';
import { runScript } from './support/run-script.js';
import { seeded } from './support/seed.js';

/** Eight threads each: the process survives the termination of a hundred and more. */
const ROUNDS = 13;
const DURABILITIES: readonly Durability[] = ['full', 'relaxed'];

interface Open {
  readonly threads: number;
  readonly files: number;
}

interface Report {
  readonly callers: readonly Caller[];
  readonly before: Open;
  readonly after: Open;
}

interface Caller {
  readonly id: SessionId;
  readonly appended: number;
  readonly updated: number;
  readonly numbers: readonly number[];
  readonly ownerVersion: number;
}

describe.each(DURABILITIES)('worker threads that are terminated, durability %s', (durability) => {
  it('do not crash the process, leave nothing open, lose nothing acknowledged', async () => {
    const { seed } = seeded(`terminated threads, ${durability}`);
    const root = tempRoot();
    const args = [root, durability, ROUNDS, seed];
    const { callers, before, after } = await runScript<Report>('killed-threads.mjs', args);
    expect(callers).toHaveLength(ROUNDS * 8 * 3);
    expect(after.threads, 'no thread is left').toBeLessThanOrEqual(before.threads);
    expect(after.files, 'no file is left open').toBeLessThanOrEqual(before.files);
    const later = new DiskSessionStore({ rootDir: root });
    for (const { id, appended, updated, numbers, ownerVersion } of callers) {
      expect(numbers).toStrictEqual(numbers.map((_, n) => n));
      expect([appended, appended + 1], `messages of ${id}`).toContain(numbers.length);
      expect([updated, updated + 1], `version of ${id}`).toContain(ownerVersion);
      expect(await later.loadMessages(id, ALPHA)).toHaveLength(numbers.length);
      expect(present(await later.getSession(id, ALPHA)).ownerVersion).toBe(ownerVersion);
    }
  }, 100_000);
});
