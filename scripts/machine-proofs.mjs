/** The proofs that ask something of the machine; docs/testing.md has a section for each. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CommandFailed, ROOT } from './run.mjs';

/** What a harness ends with on a machine that cannot do what it needs. */
const SKIPPED = 77;

const skipped = [];

/** What was skipped so far. */
export const skippedProofs = () => skipped;

function harness(title, file, ...args) {
  return [
    title,
    () => {
      const command = [join('harness', file), ...args];
      const { status, signal } = spawnSync(process.execPath, command, {
        cwd: ROOT,
        stdio: 'inherit',
      });
      if (status === SKIPPED) skipped.push(title);
      else if (status !== 0) {
        throw new CommandFailed(`${command.join(' ')}: ${signal ?? `exit code ${status}`}`);
      }
    },
  ];
}

/** For `npm test`: a minute or so. */
export const QUICK_PROOFS = [
  harness('Failing calls, a sample', 'failing-calls.mjs', 'sample'),
  harness('Full disks, some sizes', 'full-disks.mjs', '128'),
];

/** For `npm run verify:full`: some 20 minutes on two cores. */
export const FULL_PROOFS = [
  harness('Power cuts', 'power-cuts.mjs', '100'),
  harness('Block logs', 'block-log.mjs', '60'),
  harness('Failing calls', 'failing-calls.mjs'),
  harness('Full disks', 'full-disks.mjs', '4'),
  harness('Failing syncs', 'failing-syncs.mjs'),
];
