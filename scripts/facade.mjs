/** Bundles `lib/` and compiles `conformance/` to `dist/` when they changed. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runNode } from './run.mjs';

export const TSC = 'node_modules/typescript/bin/tsc';

const DIST = join(ROOT, 'dist');
const CONFIGURATION = [
  'scripts/bundle.mjs',
  'scripts/facade.mjs',
  'package.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'tsconfig.conformance.json',
  'package-lock.json',
];
const STAMP = join(DIST, '.built-from');

export function buildFacade() {
  const source = hashOfSources();
  if (stamp() === source) return;
  rmSync(DIST, { recursive: true, force: true });
  runNode('scripts/bundle.mjs', [DIST]);
  buildConformance();
  writeFileSync(STAMP, source);
}

/** The kit is an ES module, as vitest is; `require` gets to it through a file of its own. */
function buildConformance() {
  runNode(TSC, ['-p', 'tsconfig.conformance.json']);
  const built = join(DIST, 'conformance');
  // By its path: what resolves types without `exports` may not know the package by its name.
  const types = readFileSync(join(built, 'index.d.mts'), 'utf8');
  writeFileSync(join(built, 'index.d.cts'), types.replaceAll("'namzu-native'", "'../../index.js'"));
  writeFileSync(join(built, 'index.cjs'), "module.exports = require('./index.mjs');\n");
}

/** A hash rather than times: a checkout sets the times of files as it likes. */
function hashOfSources() {
  const hash = createHash('sha256');
  const sources = ['lib', 'conformance'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .filter((name) => /\.m?ts$/.test(name))
      .sort()
      .map((name) => join(folder, name)),
  );
  for (const name of [...CONFIGURATION, ...sources]) {
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
