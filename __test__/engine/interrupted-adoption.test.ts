import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { childScript } from '../support/child.js';
import { Prng } from '../support/prng.js';
import { copyOfRecords } from '../support/temp-root.js';
import { bytesOf, namesBelow } from '../support/tree.js';
import { ALPHA } from '../support/world.js';
import { answersOf, generatedRoot } from './generated-root.js';

const KILLS = 12;

/** Starts an adoption and ends its process a moment after it said that it goes on. */
async function interrupted(root: string, milliseconds: number): Promise<void> {
  const script = childScript('../engine/children/adopt.mjs');
  const child = spawn(process.execPath, [script, root, 'report']);
  const gone = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), gone]);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  child.kill('SIGKILL');
  await gone;
}

describe('an adoption that is killed', () => {
  it('can be repeated, however often and wherever it was', async () => {
    const root = await generatedRoot(600);
    const untouched = { ...root, dir: copyOfRecords(root.dir) };
    const expected = await answersOf(new DiskSessionStore({ rootDir: untouched.dir }), untouched);
    const records = await bytesOf(root.dir, ['projects']);
    const moments = new Prng(7);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await interrupted(root.dir, moments.next() * 60);
    }
    const store = new DiskSessionStore({ rootDir: root.dir });
    expect(await answersOf(store, root)).toStrictEqual(expected);
    await store.createProject({ tenantId: ALPHA, name: 'last' }, ALPHA);
    expect(await answersOf(store, root)).toStrictEqual(expected);
    const now = await bytesOf(root.dir, ['projects']);
    for (const [name, bytes] of records) expect(now.get(name), name).toBe(bytes);
    expect((await namesBelow(root.dir)).filter((name) => name.endsWith('.tmp'))).toStrictEqual([]);
  });

  it('can be repeated by several processes at once', async () => {
    const root = await generatedRoot(600);
    await Promise.all([3, 9, 27].map((milliseconds) => interrupted(root.dir, milliseconds)));
    const store = new DiskSessionStore({ rootDir: root.dir });
    await store.createProject({ tenantId: ALPHA, name: 'last' }, ALPHA);
    expect(await store.getAncestry('ses_000599', ALPHA)).toStrictEqual([
      'ses_000590',
      'ses_000599',
    ]);
    const projects = await namesBelow(join(root.dir, 'projects'));
    expect(projects.filter((name) => name.endsWith('.tmp'))).toStrictEqual([]);
  });
});
