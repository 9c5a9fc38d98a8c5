import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-root.js';
import { runScript } from './support/run-script.js';

interface Counts {
  readonly atOnce: readonly string[];
  readonly idle: readonly string[];
  readonly afterReading: readonly string[];
  readonly before: number;
  readonly afterOneRoot: number;
  readonly afterManyRoots: number;
}

describe.skipIf(!existsSync('/proc/self/fd'))('open files, where /proc tells of them', () => {
  it('are two at most of an idle store, and none of 200 that were dropped', async () => {
    const counts = await runScript<Counts>('open-files.mjs', [tempDir()], ['--expose-gc']);
    expect(counts.atOnce.length).toBeLessThanOrEqual(2);
    expect(counts.idle.length).toBeLessThanOrEqual(2);
    expect(counts.afterReading.length).toBeLessThanOrEqual(2);
    expect(counts.afterOneRoot).toBeLessThanOrEqual(counts.before);
    expect(counts.afterManyRoots).toBeLessThanOrEqual(counts.before);
  }, 60_000);
});
