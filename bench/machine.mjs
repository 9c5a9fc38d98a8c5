// What a figure depends on besides the code, for the head of the table and for the JSON.

import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Names for the numbers that Linux's statfs answers; others are given as numbers. */
const FILE_SYSTEMS = new Map([
  [0xef53, 'ext2/3/4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x2fc12fc1, 'zfs'],
  [0x01021994, 'tmpfs (memory, not a disk)'],
  [0x794c7630, 'overlayfs'],
]);

/** @param {string} directory where the disk stores are put */
export async function describeMachine(directory) {
  const manifest = new URL('../package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, 'utf8'));
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    loadAverage: os
      .loadavg()
      .map((load) => load.toFixed(2))
      .join(' '),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.platform()} ${os.arch()} ${os.release()}`,
    fileSystem: await fileSystemOf(directory),
    fileCreation: `${Math.round(fileCreationMicroseconds(join(directory, 'creation')))} µs`,
    node: process.versions.node,
    v8: process.versions.v8,
    rustc: answerOf('rustc', '--version') ?? 'unknown',
    // What `npm run bench` builds and loads, which `Cargo.toml` says more of.
    profile: 'release',
    namzuNative: version,
    commit: commit(),
  };
}

/** Of the code that is measured: with what is changed and not committed, that is said. */
function commit() {
  const head = answerOf('git', 'rev-parse', 'HEAD');
  if (head === undefined) return 'unknown';
  return answerOf('git', 'status', '--porcelain') === '' ? head : `${head}, and changes`;
}

/** What a program prints in the package's folder, if it is there and succeeds. */
function answerOf(program, ...args) {
  const { status, stdout } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

async function fileSystemOf(directory) {
  const { type } = await statfs(directory);
  return FILE_SYSTEMS.get(type) ?? `type 0x${type.toString(16)}`;
}

/**
 * The floor under every method that creates or replaces a record: a small file written and
 * renamed, with nothing around it.
 *
 * @param {string} directory to be made
 */
function fileCreationMicroseconds(directory) {
  const files = 200;
  mkdirSync(directory);
  const start = performance.now();
  for (let i = 0; i < files; i += 1) {
    const path = join(directory, `${i}`);
    writeFileSync(`${path}.tmp`, 'a small record');
    renameSync(`${path}.tmp`, path);
  }
  return ((performance.now() - start) * 1000) / files;
}
