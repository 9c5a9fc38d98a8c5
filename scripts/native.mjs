/**
 * Compiles the Rust core and puts it where the package looks for it.
 *
 *   node scripts/native.mjs                    builds for this machine
 *   node scripts/native.mjs <platform>         builds for a platform of `platforms.mjs`
 *   node scripts/native.mjs <platform> --built places what cargo built elsewhere, in a container
 */

import { copyFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { binaryOf, libraryOf, PLATFORMS, thisPlatform } from './platforms.mjs';
import { CommandFailed, main, ROOT, run } from './run.mjs';

export function buildNative() {
  run('cargo', ['build', '--release']);
  place(thisPlatform(), 'release');
}

function buildFor(platform, alreadyBuilt) {
  const triple = PLATFORMS[platform];
  if (triple === undefined) {
    throw new CommandFailed(
      `${platform} is no platform of this package; they are ${Object.keys(PLATFORMS).join(', ')}`,
    );
  }
  if (!alreadyBuilt) run('cargo', ['build', '--release', '--target', triple]);
  place(platform, triple, 'release');
}

function place(platform, ...folders) {
  const targetDir = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
  const built = join(targetDir, ...folders, libraryOf(platform));
  const placed = join(ROOT, 'native', binaryOf(platform));
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

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [platform, option] = process.argv.slice(2);
  main(() => (platform === undefined ? buildNative() : buildFor(platform, option === '--built')));
}
