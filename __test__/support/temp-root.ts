import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A new empty directory, removed when the running test ends. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'namzu-native-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A new empty directory, removed when the running suite ends: for what its tests share. */
export function sharedTempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'namzu-native-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
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
