/** Compiles the Rust core and puts it where the package looks for it. */

import { copyFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './run.mjs';

const LIBRARIES = {
  darwin: 'libnamzu_native.dylib',
  win32: 'namzu_native.dll',
};

export function buildNative() {
  run('cargo', ['build', '--release']);
  const targetDir = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
  const built = join(targetDir, 'release', LIBRARIES[process.platform] ?? 'libnamzu_native.so');
  const placed = join(ROOT, 'native', `namzu-native.${target()}.node`);
  if (sameFile(built, placed)) return;
  mkdirSync(join(ROOT, 'native'), { recursive: true });
  // Beside, then renamed: a process that has the old one loaded keeps it.
  const beside = `${placed}.${process.pid}.tmp`;
  try {
    copyFileSync(built, beside);
    renameSync(beside, placed);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** A copy is newer than what it was copied from, for as long as that does not change. */
function sameFile(built, placed) {
  const from = statSync(built);
  const to = statSync(placed, { throwIfNoEntry: false });
  return to !== undefined && to.size === from.size && to.mtimeMs >= from.mtimeMs;
}

/** The name of this platform, as the loader in `lib/native.ts` spells it. */
function target() {
  const base = `${process.platform}-${process.arch}`;
  if (process.platform === 'win32') return `${base}-msvc`;
  if (process.platform !== 'linux') return base;
  return `${base}-${process.report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl'}`;
}
