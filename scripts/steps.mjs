/** The checks, one by one; `lint` and `test` are made of them. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TSC } from './facade.mjs';
import { fuzz } from './fuzz.mjs';
import { FULL_PROOFS, QUICK_PROOFS, skippedProofs } from './machine-proofs.mjs';
import { mutants } from './mutants.mjs';
import { changedCorpora, everyBit, histories, interleavings } from './prove.mjs';
import { checkPublicApi } from './public-api.mjs';
import { ROOT, run, runNode } from './run.mjs';

const TRANSCRIPTS = '../shared/fixtures/transcripts/tau-airline.jsonl';

/** What can be said without running anything. */
export const LINT = [
  ['Rust format', () => run('cargo', ['fmt', '--check'])],
  ['Rust lints', () => run('cargo', ['clippy', '--all-targets', '--', '-D', 'warnings'])],
  ['Rust dependencies', rustDependencies],
  [
    'JavaScript and TypeScript format and lints',
    () => runNode('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
  ],
  ['Types of the facade', () => runNode(TSC, ['-p', 'tsconfig.json', '--noEmit'])],
  ['index.d.ts, index.mjs and docs/api.md are those of lib/', checkPublicApi],
  ['Types of the tests', () => runNode(TSC, ['-p', 'tsconfig.test.json'])],
  [
    'Type tests, as Node.js resolves the package',
    () => runNode(TSC, ['-p', 'tsconfig.types.json']),
  ],
];

/** What runs. */
export const TESTS = [
  ['Rust tests', () => run('cargo', ['test'])],
  ['Mutants', mutants],
  ['TypeScript tests', () => runNode('node_modules/vitest/vitest.mjs', ['run'])],
  ['Demo', demo],
  ...QUICK_PROOFS,
  // Whether it completes, not whether it is fast.
  ['Benchmarks, quickly', () => runNode('bench/main.mjs', ['--quick', '--no-install'])],
];

/** What takes longer, for `npm run verify:full`; `docs/testing.md` says what each proves. */
export const FULL = [
  ['Mutants', mutants],
  ['Interleavings', interleavings],
  ['Every bit', everyBit],
  ['What is nearly a corpus', changedCorpora],
  ['Fuzzing', fuzz],
  ['Histories of processes that are killed', histories],
  ...FULL_PROOFS,
];

/** Runs steps in order, up to the first that fails. */
export function runSteps(steps) {
  const started = Date.now();
  for (const [index, [title, step]] of steps.entries()) {
    console.log(`\n── ${index + 1}/${steps.length} ${title}`);
    step();
  }
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  const skipped = skippedProofs();
  for (const title of skipped) console.log(`skipped: ${title}`);
  const passed = steps.length - skipped.length;
  const rest = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  console.log(`\nAll checks hold, after ${seconds} s.\nchecks: ${passed} passed, 0 failed${rest}`);
}

/** What needs no network; CI, which always has cargo-deny, looks for advisories as well. */
function rustDependencies() {
  if (spawnSync('cargo', ['deny', '--version']).status === 0) {
    run('cargo', ['deny', '--offline', 'check', 'bans', 'licenses', 'sources']);
  } else {
    console.log('cargo-deny is not installed: CI runs it.');
  }
}

function demo() {
  const transcripts = existsSync(join(ROOT, TRANSCRIPTS));
  if (!transcripts) {
    console.log(`${TRANSCRIPTS} is absent: the demo runs on its own small conversation instead.`);
  }
  runNode('examples/demo/main.mjs', transcripts ? [TRANSCRIPTS] : []);
}
