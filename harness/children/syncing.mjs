// Another program: writes a file of its own and syncs it, or the whole file system, at random
// moments, and so decides what of others' unsynced writes becomes durable. A line for each sync.
// Arguments: a folder on the file system, seed.

import { spawnSync } from 'node:child_process';
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { prng } from '../lib/machine.mjs';

const [folder, seed] = process.argv.slice(2);
const random = prng(Number(seed));
try {
  const file = openSync(join(folder, 'of-another-program'), 'a', 0o600);
  for (;;) {
    await sleep(random() ** 2 * 150);
    if (random() < 0.7) {
      writeSync(file, 'x');
      fsyncSync(file);
    } else if (spawnSync('sync', ['-f', folder]).status !== 0) break;
    writeSync(1, 'synced\n');
  }
} catch (error) {
  // The power was cut.
  if (!['EIO', 'ESHUTDOWN', 'EROFS'].includes(error.code)) throw error;
}
