/** Runs the commands that the other scripts are made of. */

import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const NEEDED = {
  cargo: 'Rust is needed to build from source: see https://rustup.rs',
};

/** A command that failed; its own output has said why. */
export class CommandFailed extends Error {
  name = 'CommandFailed';
}

/** Runs a command in the root of the repository, its output shown as it comes. */
export function run(command, args) {
  const { error, status, signal } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' });
  if (error?.code === 'ENOENT') {
    throw new CommandFailed(`${command} was not found. ${NEEDED[command] ?? ''}`.trim());
  }
  if (error) throw new CommandFailed(`${command}: ${error.message}`);
  if (status !== 0) {
    throw new CommandFailed(`${[command, ...args].join(' ')}: ${signal ?? `exit code ${status}`}`);
  }
}

/** Runs a script of this repository, or of one of its packages, with this very Node.js. */
export function runNode(script, args = []) {
  run(process.execPath, [script, ...args]);
}

/** Runs npm, the same that started this script where there is one. */
export function runNpm(args) {
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js')) runNode(npm, args);
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
}

/** Runs the steps of a script, and ends the process with the exit code that they deserve. */
export function main(steps) {
  try {
    steps();
  } catch (error) {
    console.error(error instanceof CommandFailed ? `\n✗ ${error.message}` : error);
    process.exit(1);
  }
}
