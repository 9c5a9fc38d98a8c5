// A sweep that archives everything, against the same work written with node:fs/promises.

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { obviousSweep } from '../baselines/obvious-sweep.mjs';
import { PROJECT, writeFinishedWork } from '../cases/finished-work.mjs';
import { TENANT } from '../cases/plant.mjs';
import { ratioSpread, takeTurns } from '../harness.mjs';
import { chosen, runGroup } from './group.mjs';

const CASES = [
  { name: 'sweep', evict: false },
  { name: 'sweep, evicting', evict: true },
];

export async function sweepFinishedWork({ directory, effort: { processes, sweptEdges }, only }) {
  const title = `retention: a sweep that archives ${sweptEdges.toLocaleString('en')} edges, relaxed`;
  await runGroup(
    { title, columns: ['ours', 'by hand'], ratioOf: 'by hand over ours', unit: 'µs' },
    chosen(title, CASES, only),
    ({ evict }) =>
      takeTurns(
        [() => ours(directory, sweptEdges, evict), () => byHand(directory, sweptEdges)],
        Math.min(processes, 7),
      ),
    (mine, theirs) => ratioSpread(theirs, mine),
  );
}

async function ours(directory, edges, evict) {
  const rootDir = await mkdtemp(join(directory, 'sweep-'));
  writeFinishedWork(rootDir, edges);
  const durability = 'relaxed';
  const sessionStore = new DiskSessionStore({ rootDir, durability });
  // A change, by which the store makes the root its own: it has an index.
  await sessionStore.createProject({ tenantId: TENANT, name: 'the change' }, TENANT);
  const manager = new ArchivalManager({
    sessionStore,
    workspaceRegistry: new WorkspaceBackendRegistry(),
    archiveBackend: new DiskArchiveBackend({ rootDir, durability }),
  });
  const policy = { idleSubSessionTTL: 1000 };
  return timed(
    edges,
    async () => (await manager.sweep(PROJECT, TENANT, { policy, evict })).archived,
    () => sessionStore.close(),
  );
}

async function byHand(directory, edges) {
  const rootDir = await mkdtemp(join(directory, 'sweep-'));
  writeFinishedWork(rootDir, edges);
  return timed(edges, () => obviousSweep(rootDir, PROJECT, TENANT, 1000));
}

async function timed(edges, sweep, after) {
  const start = process.hrtime.bigint();
  const archived = await sweep();
  const elapsed = Number(process.hrtime.bigint() - start) / 1e3;
  if (archived.length !== edges) throw new Error(`${archived.length} edges were archived`);
  await after?.();
  return elapsed;
}
