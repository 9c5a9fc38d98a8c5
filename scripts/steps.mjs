/** The checks, one by one; `lint` and `test` are made of them. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TSC } from './facade.mjs';
import { fuzz } from './fuzz.mjs';
import { FULL_PROOFS, QUICK_PROOFS } from './machine-proofs.mjs';
import { mutants } from './mutants.mjs';
import { portability } from './portability.mjs';
import {
  checkInterleavings,
  everyBit,
  histories,
  hostile,
  interleavings,
  otherPrograms,
} from './prove.mjs';
import { checkPublicApi } from './public-api.mjs';
import { ROOT, run, runNode, SKIPPED } from './run.mjs';
import { tidy } from './tidy.mjs';

const TRANSCRIPTS = '../shared/fixtures/transcripts/tau-airline.jsonl';

/** What can be said without running anything. */
export const LINT = [
  ['Rust format', () => run('cargo', ['fmt', '--check'])],
  ['Rust lints', () => run('cargo', ['clippy', '--all-targets', '--', '-D', 'warnings'])],
  ['Rust for other systems', portability],
  ['Rust over another scheduler', checkInterleavings],
  ['Rust dependencies', rustDependencies],
  [
    'JavaScript and TypeScript format and lints',
    () => runNode('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
  ],
  ['Shape of the tree', tidy],
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

/** What takes longer than `TESTS`, for `npm run verify:full`; see `docs/testing.md`. */
export const FULL = [
  ['Interleavings', interleavings],
  ['Every bit', everyBit],
  ['Every kind of plant', hostile],
  ['Other programs, by turns', otherPrograms],
  ['Fuzzing', fuzz],
  ['Histories of processes that are killed', histories],
  ...FULL_PROOFS,
];

/** Runs steps in order, up to the first that fails; tells how long each took. */
export function runSteps(steps) {
  const started = Date.now();
  const skipped = [];
  const times = [];
  const tell = (failed) => {
    console.log();
    for (const [title, seconds] of times) console.log(`${seconds.padStart(7)} s  ${title}`);
    for (const title of skipped) console.log(`skipped: ${title}`);
    const seconds = ((Date.now() - started) / 1_000).toFixed(0);
    const passed = times.length - skipped.length - failed;
    const rest = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
    console.log(`${failed === 0 ? 'All checks hold' : 'A check failed'}, after ${seconds} s.`);
    console.log(`checks: ${passed} passed, ${failed} failed${rest}`);
  };
  for (const [index, [title, step]] of steps.entries()) {
    const since = Date.now();
    console.log(`\n── ${index + 1}/${steps.length} ${title}`);
    let answer;
    try {
      answer = step();
    } catch (error) {
      answer = error;
    }
    const seconds = ((Date.now() - since) / 1_000).toFixed(1);
    console.log(`── ${title}: ${seconds} s`);
    times.push([title, seconds]);
    if (answer === SKIPPED) skipped.push(title);
    if (answer instanceof Error) {
      tell(1);
      throw answer;
    }
  }
  tell(0);
}

/** What needs no network; CI, which always has cargo-deny, looks for advisories as well. */
function rustDependencies() {
  if (spawnSync('cargo', ['deny', '--version']).status === 0) {
    run('cargo', ['deny', '--offline', 'check', 'bans', 'licenses', 'sources']);
  } else {
    console.log('skipped: cargo-deny is not installed: CI runs it.');
    return SKIPPED;
  }
  return undefined;
}

function demo() {
  const transcripts = existsSync(join(ROOT, TRANSCRIPTS));
  if (!transcripts) {
    console.log(`${TRANSCRIPTS} is absent: the demo runs on its own small conversation instead.`);
  }
  runNode('examples/demo/main.mjs', transcripts ? [TRANSCRIPTS] : []);
}
