// Installs what the benchmarks compare with, and nothing else needs: the packages of this folder.
// One that cannot be installed here is left out of the comparison.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const PACKAGES = ['better-sqlite3', 'lmdb'];

/** Where there is no binary for the machine, compiling one takes minutes. */
const TIMEOUT = 600_000;

const load = createRequire(import.meta.url);

/** Installs the packages unless they are there. */
export function installPeers() {
  if (PACKAGES.every((name) => loadPeer(name).found !== undefined)) return;
  console.log(`Installing ${PACKAGES.join(' and ')}, which may take some minutes …`);
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  // The install scripts fetch or compile what is native.
  const given = ['ci', '--no-audit', '--no-fund', '--ignore-scripts=false'];
  const { status, error } = spawnSync(command, [...args, ...given], {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: TIMEOUT,
    // As a user's own command: the settings of the npm that runs this are another package's.
    env: Object.fromEntries(Object.entries(process.env).filter(([key]) => !isOfNpm(key))),
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (status !== 0)
    console.log(`npm could not install them: ${error?.message ?? `code ${status}`}`);
}

/**
 * @param {string} name of a package
 * @returns {{ found?: any, version?: string, why?: string }} what it exports, or why there is none
 */
export function loadPeer(name) {
  try {
    const found = load(name);
    // A package with a native half may load it only when it is used.
    if (name === 'better-sqlite3') new found(':memory:').close();
    return { found, version: versionOf(name) };
  } catch (error) {
    return { why: error.message.split('\n')[0] };
  }
}

function versionOf(name) {
  const { packages } = load('./package-lock.json');
  return packages[`node_modules/${name}`].version;
}

function isOfNpm(key) {
  return /^npm_(config|package|lifecycle)_/i.test(key) && !/registry/i.test(key);
}
