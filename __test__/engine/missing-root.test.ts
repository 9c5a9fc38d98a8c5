import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA } from '../support/world.js';

const ROUNDS = 60;

/** Keeps this thread busy, so that calls start at different instants of an earlier one. */
function spin(turns: number): number {
  let sum = 0;
  for (let turn = 0; turn < turns * 20_000; turn += 1) sum += turn;
  return sum;
}

/** The names of the projects that are on disk. */
function names(root: string): string[] {
  const projects = join(root, 'projects');
  if (!existsSync(projects)) return [];
  return readdirSync(projects).map(
    (id) => JSON.parse(readFileSync(join(projects, id, 'project.json'), 'utf8')).name,
  );
}

const project = (store: DiskSessionStore, name: string) =>
  store.createProject({ tenantId: ALPHA, name }, ALPHA);

describe('a data directory that does not exist yet', () => {
  it('is written to in the order of the calls', async () => {
    const folder = tempRoot();
    const wrong: string[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const root = join(folder, `${round}`, 'root');
      const store = new DiskSessionStore({ rootDir: root });
      const first = project(store, 'first');
      spin(round % 20);
      await project(store, 'second');
      const found = names(root);
      if (!found.includes('first')) wrong.push(found);
      await first;
      await store.close();
    }
    expect(wrong).toStrictEqual([]);
  });

  it('is closed when what was started is done', async () => {
    const folder = tempRoot();
    const wrong: string[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const root = join(folder, `${round}`);
      const store = new DiskSessionStore({ rootDir: root });
      const started = project(store, 'started');
      spin(round % 30);
      await store.close();
      const found = names(root);
      if (!found.includes('started')) wrong.push(found);
      await started;
    }
    expect(wrong).toStrictEqual([]);
  });
});
