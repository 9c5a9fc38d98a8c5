// The bare calls by themselves, each beside an async function that does nothing: what no store can
// go below.

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { bareCalls } from '../baselines/floor.mjs';
import { alternate, ratioSpread, uncapped } from '../harness.mjs';
import { chosen, runGroup } from './group.mjs';

const TITLE = 'the floor: bare calls, each awaited';

const CASES = [
  { name: 'a native call with two texts', bare: bareCalls.nativeCall },
  { name: 'JSON.parse of a session', bare: bareCalls.parse },
  { name: 'an id minted with randomBytes', bare: bareCalls.mintId },
  { name: 'readFileSync of a session', bare: bareCalls.readFile },
  { name: 'fs.promises.readFile of it', bare: bareCalls.readLater },
  { name: 'fs.promises.access', bare: bareCalls.accessLater },
  { name: 'open, append, close', bare: bareCalls.appendFile, leaves: true },
  { name: 'fs.promises.appendFile', bare: bareCalls.appendLater, leaves: true },
  { name: 'mkdir, write, rename', bare: bareCalls.createFile, leaves: true },
  { name: 'write, fdatasync', bare: bareCalls.appendAndSync, leaves: true },
  { name: 'overwrite, fdatasync', bare: bareCalls.overwriteAndSync },
  { name: 'overwrite, fdatasync on a thread', bare: bareCalls.overwriteAndSyncLater },
];

export async function measureFloor({ directory, effort, only }) {
  await runGroup(
    { title: TITLE, columns: ['the call', 'empty call'], ratioOf: 'the call over an empty one' },
    chosen(TITLE, CASES, only),
    async ({ bare, leaves }, rounds) => {
      const { close, ...contender } = bare(await mkdtemp(join(directory, 'floor-')));
      const given = leaves ? rounds(effort) : uncapped(rounds(effort));
      try {
        return await alternate([contender, bareCalls.emptyCall()], given);
      } finally {
        close?.();
      }
    },
    ratioSpread,
  );
}
