/**
 * Runs every fuzz target for a while: `NAMZU_FUZZ_SECONDS` each, 60 when absent. What it finds
 * that is new goes below `target/`, what fails below `fuzz/artifacts/`. Needs cargo-fuzz and a
 * nightly toolchain, and says so where they are missing.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandFailed, main, ROOT, SKIPPED } from './run.mjs';

const SECONDS = Number(process.env.NAMZU_FUZZ_SECONDS ?? 60);
/** The core has no unsafe code for a sanitizer to look at. */
const BUILD = ['--sanitizer', 'none', '--target-dir', 'target/fuzz'];

function cargoFuzz(args, stderr = 'inherit') {
  return spawnSync('cargo', ['+nightly', 'fuzz', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'inherit', stderr],
  });
}

export function fuzz() {
  const version = spawnSync('cargo', ['+nightly', 'fuzz', '--version']);
  if (version.status !== 0) {
    console.log('skipped: fuzzing: cargo-fuzz or a nightly toolchain is not installed');
    return SKIPPED;
  }
  if (cargoFuzz(['build', ...BUILD]).status !== 0) throw new CommandFailed('they do not build');
  const targets = readdirSync(join(ROOT, 'fuzz/fuzz_targets')).map((name) => name.slice(0, -3));
  const failed = [];
  for (const target of targets) {
    const found = `target/fuzz-corpus/${target}`;
    mkdirSync(join(ROOT, found), { recursive: true });
    const seeds = process.env.NAMZU_SEED ? [`-seed=${process.env.NAMZU_SEED}`] : [];
    const limits = [...seeds, `-max_total_time=${SECONDS}`, '-timeout=20', '-rss_limit_mb=2048'];
    const args = ['run', ...BUILD, target, found, `fuzz/corpus/${target}`, '--', ...limits];
    const { status, stderr } = cargoFuzz(args, 'pipe');
    const done = /Done (\d+) runs in (\d+) second/.exec(stderr);
    const held = status === 0 && Number(done?.[1] ?? 0) > 0;
    if (!held) {
      failed.push(target);
      console.log(stderr);
    }
    const seed = /Seed: (\d+)/.exec(stderr)?.[1];
    const runs = done === null ? 'no end of it' : `${done[1]} runs in ${done[2]} s`;
    console.log(`fuzzing: ${target.padEnd(14)} ${runs}, seed ${seed}`);
  }
  console.log(`fuzzing: ${targets.length - failed.length} held, ${failed.length} failed`);
  if (failed.length > 0 || targets.length === 0) {
    throw new CommandFailed(`fuzzing failed: ${failed.join(', ') || 'there are no targets'}`);
  }
  return undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(fuzz);
