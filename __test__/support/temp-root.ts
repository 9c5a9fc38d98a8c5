import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A relaxed store that was not closed still writes after its last answer. */
async function remove(dir: string): Promise<void> {
  for (let attempts = 50; ; attempts -= 1) {
    try {
      rmSync(dir, { recursive: true, force: true });
      return;
    } catch (error) {
      if (attempts === 0 || (error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** A new empty directory, removed when the running test ends. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'namzu-native-'));
  onTestFinished(() => remove(dir));
  return dir;
}

/** A new empty directory, removed when the running suite ends: for what its tests share. */
export function sharedTempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'namzu-native-'));
  afterAll(() => remove(dir));
  return dir;
}

/** A path where a root may be created; nothing is there yet. */
export function tempRoot(): string {
  return join(tempDir(), 'root');
}

/**
 * The record tree of a root in a new place that no store of this process has seen, without the
 * engine's own directory: what a process that comes later, or on another machine, finds.
 */
export function copyOfRecords(root: string): string {
  const copy = tempRoot();
  const engine = join(root, '.store');
  cpSync(root, copy, { recursive: true, filter: (source) => source !== engine });
  return copy;
}
