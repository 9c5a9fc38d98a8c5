/** A session whose update names another project: lists and sweeps go by its record. */

import {
  DiskArchiveBackend,
  DiskSessionStore,
  type ExtendedSessionStore,
  TenantIsolationError,
} from 'namzu-native';
import { expect, it } from 'vitest';
import { managerOf } from '../retention/archive-world.js';
import { rejectionOf } from '../support/rejection.js';
import { copyOfRecords, tempRoot } from '../support/temp-root.js';
import { ALPHA, BETA, World } from '../support/world.js';
import { describeStores } from './stores.js';

/** A session with an edge, moved from the first project to the second. */
async function moved(store: ExtendedSessionStore) {
  const [from, to] = [await World.in(store), await World.in(store)];
  const [session, child] = [await from.session(), await from.session()];
  const edge = await from.edge(session, child);
  await from.change(edge, { status: 'idle' });
  await from.changeSession(session, { projectId: to.project.id });
  const listed = async (of: ExtendedSessionStore) => {
    const ids = async (world: World) => {
      const page = await of.listSessionsByProject(world.project.id, ALPHA);
      return page.items.map(({ id }) => id);
    };
    return { from: await ids(from), to: await ids(to) };
  };
  return { from, to, session, child, edge, listed };
}

describeStores((make) => {
  it('is listed where its record says, and nowhere else', async () => {
    const store = make();
    const { from, session, child, listed } = await moved(store);
    expect(await listed(store)).toStrictEqual({ from: [child.id], to: [session.id] });
    await from.changeSession(session, {});
    const back = await listed(store);
    expect(new Set(back.from)).toStrictEqual(new Set([session.id, child.id]));
    expect(back.to).toStrictEqual([]);
  });

  it.each(['itself', 'a Proxy'])('is swept there, through %s', async (through) => {
    const store = make();
    const { from, to, edge } = await moved(store);
    const manager = managerOf(
      through === 'itself' ? store : new Proxy(store, {}),
      new DiskArchiveBackend({ rootDir: tempRoot() }),
    );
    const options = { policy: { maxSubSessionsPerProject: 0 }, dryRun: true };
    const swept = async (world: World) => {
      const { archived } = await manager.sweep(world.project.id, ALPHA, options);
      return archived.map(({ subSessionId }) => subSessionId);
    };
    expect(await swept(from)).toStrictEqual([]);
    expect(await swept(to)).toStrictEqual([edge.id]);
  });

  it('must be moved to a project that exists and is the same tenant’s', async () => {
    const store = make();
    const world = await World.in(store);
    const theirs = await World.in(store, BETA);
    const session = await world.session();
    const move = (projectId: `prj_${string}`) =>
      store.updateSession({ ...session, projectId }, ALPHA);
    const error = await rejectionOf(move(theirs.project.id), TenantIsolationError);
    expect(error.details.resource).toBe(`project(${theirs.project.id})`);
    await expect(move('prj_nowhere')).rejects.toThrow(/prj_nowhere.*not found/);
    await expect(move('prj_../x')).rejects.toMatchObject({ name: 'InvalidIdError' });
    expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
  });
});

it('is listed likewise once the root is opened again, its index lost or not', async () => {
  const rootDir = tempRoot();
  const store = new DiskSessionStore({ rootDir });
  const { session, child, listed } = await moved(store);
  await store.close();
  for (const dir of [rootDir, copyOfRecords(rootDir)]) {
    const again = new DiskSessionStore({ rootDir: dir });
    expect(await listed(again)).toStrictEqual({ from: [child.id], to: [session.id] });
    await again.close();
  }
});

it('is seen by a store that listed its first project before', async () => {
  const rootDir = tempRoot();
  const store = new DiskSessionStore({ rootDir });
  const watching = new DiskSessionStore({ rootDir });
  const world = await World.in(store);
  const other = await World.in(store);
  const session = await world.session();
  const ids = async (of: World) => {
    const page = await watching.listSessionsByProject(of.project.id, ALPHA);
    return page.items.map(({ id }) => id);
  };
  expect(await ids(world)).toStrictEqual([session.id]);
  await world.changeSession(session, { projectId: other.project.id });
  expect(await ids(world)).toStrictEqual([]);
  expect(await ids(other)).toStrictEqual([session.id]);
  await store.deleteSession(session.id, ALPHA);
  expect(await ids(other)).toStrictEqual([]);
  await Promise.all([store.close(), watching.close()]);
});
