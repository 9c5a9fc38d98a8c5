// What a figure depends on besides the code, for the head of the table and for the JSON.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';

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
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.platform()} ${os.arch()} ${os.release()}`,
    fileSystem: await fileSystemOf(directory),
    fileCreation: `${Math.round(fileCreationMicroseconds(join(directory, 'creation')))} µs`,
    node: process.versions.node,
    v8: process.versions.v8,
    namzuNative: version,
  };
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
