import { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, present, World } from '../support/world.js';
import { runScripts } from './support/run-script.js';

const PROCESSES = 8;
const TIMES = 500;

it('processes that add 1 to one number by compare-and-set lose no addition', async () => {
  const root = tempRoot();
  const world = await World.in(new DiskSessionStore({ rootDir: root }));
  const { id } = await world.session();
  const reports = await runScripts<{ stale: number }>(PROCESSES, 'counter.mjs', [root, id, TIMES]);
  const { ownerVersion } = present(await world.store.getSession(id, ALPHA));
  expect(ownerVersion).toBe(PROCESSES * TIMES);
  const stale = reports.reduce((sum, report) => sum + report.stale, 0);
  expect(stale, 'they got in each other’s way').toBeGreaterThan(0);
}, 100_000);
