/**
 * Runs every fuzz target for a while, as many at once as there are processors:
 * `NAMZU_FUZZ_SECONDS` each, 60 when absent. What it finds that is new goes below `target/`, what
 * fails below `fuzz/artifacts/`. Needs cargo-fuzz and a nightly toolchain, and says so where they
 * are missing.
 */

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CommandFailed, main, ROOT, runNode, SKIPPED } from './run.mjs';

const SECONDS = Number(process.env.NAMZU_FUZZ_SECONDS ?? 60);
/** The core has no unsafe code for a sanitizer to look at. */
const BUILD = ['--sanitizer', 'none', '--target-dir', 'target/fuzz'];
const FUZZ = ['+nightly', 'fuzz'];
/** What this script is called with to run what is built. */
const BUILT = 'built';

export function fuzz() {
  if (spawnSync('cargo', [...FUZZ, '--version']).status !== 0) {
    console.log('skipped: fuzzing: cargo-fuzz or a nightly toolchain is not installed');
    return SKIPPED;
  }
  const { status } = spawnSync('cargo', [...FUZZ, 'build', ...BUILD], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new CommandFailed('the fuzz targets do not build');
  runNode(fileURLToPath(import.meta.url), [BUILT]);
  return undefined;
}

/** Runs a target; answers whether it held. */
async function fuzzed(target) {
  const found = `target/fuzz-corpus/${target}`;
  mkdirSync(join(ROOT, found), { recursive: true });
  const seeds = process.env.NAMZU_SEED ? [`-seed=${process.env.NAMZU_SEED}`] : [];
  const limits = [...seeds, `-max_total_time=${SECONDS}`, '-timeout=20', '-rss_limit_mb=2048'];
  const args = ['run', ...BUILD, target, found, `fuzz/corpus/${target}`, '--', ...limits];
  const program = spawn('cargo', [...FUZZ, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  program.stderr.setEncoding('utf8').on('data', (data) => {
    said += data;
  });
  const status = await new Promise((resolve) => program.once('close', resolve));
  const done = /Done (\d+) runs in (\d+) second/.exec(said);
  const held = status === 0 && Number(done?.[1] ?? 0) > 0;
  if (!held) console.log(said);
  const runs = done === null ? 'no end of it' : `${done[1]} runs in ${done[2]} s`;
  console.log(`fuzzing: ${target.padEnd(14)} ${runs}, seed ${/Seed: (\d+)/.exec(said)?.[1]}`);
  return held;
}

async function fuzzBuilt() {
  const targets = readdirSync(join(ROOT, 'fuzz/fuzz_targets')).map((name) => name.slice(0, -3));
  const waiting = [...targets];
  const failed = [];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!(await fuzzed(next))) failed.push(next);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  console.log(`fuzzing: ${targets.length - failed.length} held, ${failed.length} failed`);
  if (failed.length > 0) console.log(`fuzzing failed: ${failed.join(', ')}`);
  if (failed.length > 0 || targets.length === 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv[2] === BUILT) await fuzzBuilt();
  else main(fuzz);
}
