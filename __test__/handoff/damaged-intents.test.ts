/** Intents that cannot be read, among others that can. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  generateTenantId,
  recoverHandoffs,
  type SessionId,
  StoreIoError,
  verify,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { sessionFile } from '../support/paths';
import { rejectionOf } from '../support/rejection';
import { halfway, intentFile, orphan } from './interrupted';
import { type Site, site } from './processes';

const damages: [string, (file: string) => void, object][] = [
  ['is no JSON', (file) => writeFileSync(file, '{'), { name: 'CorruptRecordError' }],
  ['lacks its keys', (file) => writeFileSync(file, '{}'), { name: 'CorruptRecordError' }],
  [
    'is a folder',
    (file) => {
      rmSync(file, { force: true });
      mkdirSync(file);
    },
    { name: 'StoreIoError', details: { code: 'EISDIR' } },
  ],
];

/** A dead handoff of a tenant, and the id of a session of another in the same root. */
async function withNeighbour() {
  const there = await site();
  const neighbour = generateTenantId();
  const { store } = there;
  const project = await store.createProject({ tenantId: neighbour, name: 'N' }, neighbour);
  const ids = { projectId: project.id, currentActor: null };
  const theirs = await store.createSession(ids, neighbour);
  const { running, goOn } = await halfway(there);
  running.catch(() => {});
  orphan(there, []);
  const fileOf = (source: SessionId) => intentFile({ ...there, source });
  return { there, neighbour, theirs, fileOf, goOn };
}

const isUndone = async ({ store, source, tenant }: Site) =>
  (await store.getSession(source, tenant))?.status === 'idle';

describe.each(damages)('an intent that %s', (_, damage, expected) => {
  it('of another tenant does not keep a tenant from recovering', async () => {
    const { there, neighbour, theirs, fileOf, goOn } = await withNeighbour();
    damage(fileOf(theirs.id));
    expect(await recoverHandoffs(there.deps, there.tenant)).toHaveLength(1);
    expect(await isUndone(there)).toBe(true);
    // Whose it is, is told.
    await expect(recoverHandoffs(there.deps, neighbour)).rejects.toMatchObject(expected);
    goOn();
  });

  it("is told to its tenant once the tenant's others are undone", async () => {
    const { there, fileOf, goOn } = await withNeighbour();
    const ids = { projectId: there.project, currentActor: null };
    const { id } = await there.store.createSession(ids, there.tenant);
    damage(fileOf(id));
    await expect(recoverHandoffs(there.deps, there.tenant)).rejects.toMatchObject(expected);
    expect(await isUndone(there)).toBe(true);
    goOn();
  });

  it('of nobody is left to verify', async () => {
    const { there, fileOf, goOn } = await withNeighbour();
    damage(fileOf('ses_deleted'));
    expect(await recoverHandoffs(there.deps, there.tenant)).toHaveLength(1);
    const found = (await verify(there.rootDir)).map(({ path }) => path);
    expect(found).toStrictEqual(['.store/intents/ses_deleted.json']);
    goOn();
  });
});

it('that cannot be read, nor its source, is told of without a name', async () => {
  const { there, theirs, fileOf, goOn } = await withNeighbour();
  for (const file of [fileOf(theirs.id), join(there.rootDir, sessionFile(theirs))]) {
    rmSync(file, { force: true });
    mkdirSync(file);
  }
  const error = await rejectionOf(recoverHandoffs(there.deps, there.tenant), StoreIoError);
  expect(error).toMatchObject({ name: 'StoreIoError', details: { code: 'EISDIR', path: '.' } });
  expect(JSON.stringify([error.message, error.details])).not.toContain(theirs.id);
  expect(await isUndone(there)).toBe(true);
  goOn();
});
