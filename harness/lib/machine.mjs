/** What a harness asks of the machine, and how it says what the machine cannot do. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** Runs a command; answers its standard output, throws with its standard error. */
export function run(command, args, options = {}) {
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    ...options,
  });
  if (error) throw error;
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${signal ?? status} ${stderr ?? ''}`.trim());
  }
  return stdout;
}

/** Runs a command and answers whether it went well. */
export function tried(command, args, options = {}) {
  return spawnSync(command, args, { stdio: 'ignore', ...options }).status === 0;
}

/** What of these commands the machine does not have. */
export function missing(...commands) {
  return commands.filter((command) => !tried('sh', ['-c', `command -v ${command}`]));
}

/** The reason why a harness cannot mount, or `undefined` when it can. */
export function whyNoMounts(...commands) {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid() !== 0) return 'it needs to be root, to mount';
  const without = missing('mount', 'umount', ...commands);
  if (without.length > 0) return `it needs ${without.join(', ')}`;
  if (!canMount()) return 'it may not mount';
  if (commands.includes('losetup') && !hasLoops()) return 'it has no loop devices';
  return undefined;
}

/** Whether mounting is allowed: in a container, root may not do it. */
function canMount() {
  const folder = mkdtempSync(join(tmpdir(), 'namzu-mount-'));
  try {
    return tried('mount', ['-t', 'tmpfs', 'tmpfs', folder]) && tried('umount', [folder]);
  } finally {
    rmdirSync(folder);
  }
}

/** Whether there are loop devices to mount images through. */
export function hasLoops() {
  return tried('losetup', ['-f']);
}

/** Whether strace is there and may trace. */
export function canTrace() {
  return tried('strace', ['-o', '/dev/null', 'true']);
}

/** What a harness ends with when the machine could not do all that it needs, and nothing failed. */
export const SKIPPED = 77;

/** Ends a harness that cannot run here, so that it is counted as skipped. */
export function skip(name, reason) {
  console.log(`skipped: ${name}: ${reason}`);
  process.exit(SKIPPED);
}

/** Says what is wrong: all of it, unless it is much, and then that there is more. */
export function complain(title, problems) {
  console.error(`${title}:`);
  for (const problem of problems.slice(0, 50)) console.error(`  ${problem.slice(0, 4_000)}`);
  if (problems.length > 50) console.error(`  and ${problems.length - 50} more`);
}

/** A small seeded generator (mulberry32): the same seed gives the same numbers. */
export function prng(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The seed of a run: `NAMZU_SEED`, or a new one; printed either way. */
export function seedOfRun() {
  const seed = Number(process.env.NAMZU_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`NAMZU_SEED=${seed}`);
  return seed;
}
