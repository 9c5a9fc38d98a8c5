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

/** What a step answers that cannot run here, and has said why. */
export const SKIPPED = Symbol('skipped');

/**
 * Runs tests of the crate that a name selects, their output shown when all is over. That none has
 * the name is a failure: cargo itself would be content.
 */
export function runCargoTests(args) {
  const command = ['test', ...args];
  const { error, status, signal, stdout } = spawnSync('cargo', command, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) throw new CommandFailed(`cargo: ${error.message}`);
  console.log(stdout);
  if (status !== 0) {
    throw new CommandFailed(`cargo ${command.join(' ')}: ${signal ?? `exit code ${status}`}`);
  }
  const passed = [...stdout.matchAll(/^test result: ok\. (\d+) passed/gm)];
  if (!passed.some(([, count]) => Number(count) > 0)) {
    throw new CommandFailed(`cargo ${command.join(' ')}: no test has such a name`);
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
