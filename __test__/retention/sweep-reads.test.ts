import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { childScript } from '../support/child.js';
import { rejection } from '../support/rejection.js';
import { tempDir, tempRoot } from '../support/temp-root.js';
import { ALPHA } from '../support/world.js';
import { diskBackend, diskStore, managerOf } from './archive-world.js';
import { writeManyEdges } from './many-edges.js';

/** 10,000 take a minute to make where files are slow to make. */
const EDGES = Number(process.env.NAMZU_EDGES ?? 1000);
const STEP = 100;

/** Whether the system calls of a process can be seen here. */
const canTrace = () => spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

describe('a sweep of which one edge in a hundred is due', () => {
  it('reads no message log of the others', async () => {
    const root = tempRoot();
    const { project, recent, due } = writeManyEdges(root, EDGES, STEP);
    const store = diskStore(root);
    // What stands in place of those logs cannot be read, and says so.
    await rejection(store.loadMessages('ses_000001', ALPHA));
    const { archived, failed, kept } = await managerOf(store, diskBackend(root)).sweep(
      project,
      ALPHA,
      { policy: { idleSubSessionTTL: 10_000 }, now: recent, evict: true },
    );
    expect(failed).toStrictEqual([]);
    expect(kept).toBe(EDGES - EDGES / STEP);
    expect(archived.map(({ subSessionId }) => subSessionId).sort()).toStrictEqual([...due].sort());
    await store.close();
  }, 120_000);

  it.runIf(canTrace())(
    'opens the logs of those alone, as the system sees it',
    async () => {
      const root = tempRoot();
      const { project, due } = writeManyEdges(root, 200, 20);
      const trace = join(tempDir(), 'trace');
      const script = [childScript('sweep-due.mjs'), root, project, ALPHA];
      const calls = ['-f', '-qq', '-s', '4096', '-e', 'trace=/^open', '-o', trace];
      await promisify(execFile)('strace', [...calls, process.execPath, ...script]);
      const opened = readFileSync(trace, 'utf8').matchAll(/sessions\/(ses_\w+)\/messages\.jsonl/g);
      const children = due.map((id) => id.replace('sub_', 'ses_'));
      expect([...new Set([...opened].map(([, id]) => id))].sort()).toStrictEqual(children.sort());
    },
    120_000,
  );
});
