/** The proofs that ask something of the machine; docs/testing.md has a section for each. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CommandFailed, ROOT, SKIPPED } from './run.mjs';

/** What a harness ends with on a machine that cannot do what it needs. */
const STATUS_OF_SKIPPED = 77;

function harness(title, file, ...args) {
  return [title, () => runHarness([join('harness', file), ...args])];
}

/** The same choices every time, so that a change is judged by what it changed. */
function steadyHarness(title, file, ...args) {
  const seed = process.env.NAMZU_SEED ?? '1387317017';
  return [title, () => runHarness([join('harness', file), ...args], { NAMZU_SEED: seed })];
}

function runHarness(command, variables = {}) {
  const { status, signal } = spawnSync(process.execPath, command, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  });
  if (status === STATUS_OF_SKIPPED) return SKIPPED;
  if (status === 0) return undefined;
  throw new CommandFailed(`${command.join(' ')}: ${signal ?? `exit code ${status}`}`);
}

/** For `npm test`: a minute or so. */
export const QUICK_PROOFS = [
  steadyHarness('Failing calls, a sample', 'failing-calls.mjs', 'sample'),
  harness('Full disks, some sizes', 'full-disks.mjs', '128'),
  harness('Immutable files', 'full-disks.mjs', 'immutable'),
];

/** For `npm run verify:full`: some 20 minutes on two cores. */
export const FULL_PROOFS = [
  harness('Power cuts on ext4', 'power-cuts.mjs', '60', 'ext4'),
  harness('Power cuts on XFS', 'power-cuts.mjs', '60', 'xfs'),
  harness('Block logs', 'block-log.mjs', 'all'),
  harness('Failing calls', 'failing-calls.mjs'),
  harness('Full disks', 'full-disks.mjs', '4'),
  harness('Immutable files', 'full-disks.mjs', 'immutable'),
  harness('Failing syncs', 'failing-syncs.mjs'),
  harness('Archives among processes', 'archives.mjs', '60'),
];
