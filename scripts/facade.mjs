/** Compiles `lib/` to `dist/` when it changed. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runNode } from './run.mjs';

export const TSC = 'node_modules/typescript/bin/tsc';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built-from');

export function buildFacade() {
  const source = hashOfSources();
  if (stamp() === source) return;
  rmSync(DIST, { recursive: true, force: true });
  runNode(TSC, ['-p', 'tsconfig.json']);
  writeFileSync(STAMP, source);
}

/** A hash rather than times: a checkout sets the times of files as it likes. */
function hashOfSources() {
  const hash = createHash('sha256');
  const lib = readdirSync(join(ROOT, 'lib'), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join('lib', name));
  for (const name of ['tsconfig.base.json', 'tsconfig.json', 'package-lock.json', ...lib]) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(ROOT, name)))
      .update('\0');
  }
  return hash.digest('hex');
}

function stamp() {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch {
    return undefined;
  }
}
