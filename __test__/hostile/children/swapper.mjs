// Puts a link, a pipe, a device or a second name of a file in place of a file or folder and takes it away again, until it is told
// to stop; leaves what was there. Arguments: place, what the link names, folder aside, kind.

import { execFileSync } from 'node:child_process';
import { linkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const [place, beyond, aside, kind] = process.argv.slice(2);
const [kept, planted] = [join(aside, 'kept'), join(aside, 'planted')];
let stopped = false;
process.on('SIGTERM', () => {
  stopped = true;
});

const plants = {
  link: () => symlinkSync(beyond, planted),
  pipe: () => execFileSync('mkfifo', [planted]),
  device: () => execFileSync('mknod', [planted, 'c', '1', '5']),
  name: () => linkSync(beyond, planted),
};

function turn() {
  plants[kind]();
  try {
    renameSync(place, kept);
    renameSync(planted, place);
    const until = process.hrtime.bigint() + 300_000n;
    while (process.hrtime.bigint() < until);
  } catch {
    // The store put something there this very moment.
  }
  rmSync(planted, { force: true });
  try {
    rmSync(place, { force: true });
    renameSync(kept, place);
  } catch {
    rmSync(kept, { force: true, recursive: true });
  }
  if (!stopped) setImmediate(turn);
}
turn();
process.stdout.write('swapping');
