/** Records that were created in one millisecond: the order of their creation is the order of lists. */

import {
  DiskSessionStore,
  type ExtendedSessionStore,
  executeBroadcastHandoff,
  type Page,
  type PageOptions,
  type SubSession,
} from 'namzu-native';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { broadcast, scene } from '../handoff/fixtures.js';
import { copyOfRecords, tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { describeStores, STORES } from './stores.js';

const COUNT = 24;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-02T03:04:05.678Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Everything that a list has, page by page. */
async function all<T>(list: (page: PageOptions) => Promise<Page<T>>, limit: number): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor === undefined ? { limit } : { limit, cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);

/** Projects, sessions and edges of one millisecond, as they were made. */
async function made(store: ExtendedSessionStore) {
  const world = await World.in(store);
  const sessions = await world.sessions(COUNT);
  const [parent] = sessions as [(typeof sessions)[0]];
  const edges: SubSession[] = [];
  for (const child of sessions.slice(1)) edges.push(await world.edge(parent, child));
  const projects = [world.project];
  for (let n = 1; n < COUNT; n += 1) {
    projects.push(await store.createProject({ tenantId: ALPHA, name: `${n}` }, ALPHA));
  }
  const check = async (of: ExtendedSessionStore) => {
    for (const limit of [1, 5, COUNT, COUNT + 1]) {
      const list = (page: PageOptions) => of.listSessionsByProject(world.project.id, ALPHA, page);
      expect(ids(await all(list, limit))).toStrictEqual(ids(sessions));
      const listed = await all((page) => of.listProjects(ALPHA, page), limit);
      expect(ids(listed)).toStrictEqual(ids(projects));
    }
    expect(ids(await of.getChildren(parent.id, ALPHA))).toStrictEqual(ids(edges));
    expect(ids((await of.drill(parent.id, ALPHA))?.children ?? [])).toStrictEqual(ids(edges));
  };
  return { world, sessions, edges, check };
}

describeStores((make) => {
  it('are listed in the order of their creation', async () => {
    const store = make();
    const { check, sessions, edges, world } = await made(store);
    await check(store);
    // An update moves nothing.
    const [, one] = sessions;
    await world.changeSession(one as never, { status: 'failed' });
    await world.change(edges[3] as never, { status: 'failed' });
    await check(store);
  });

  it('come after a cursor when they were made after it', async () => {
    const store = make();
    const world = await World.in(store);
    const list = (page: PageOptions) => store.listSessionsByProject(world.project.id, ALPHA, page);
    await world.sessions(3);
    const first = await list({ limit: 2 });
    const cursor = first.nextCursor as string;
    const seen = new Set(ids(first.items));
    await world.sessions(20);
    for (const { id } of first.items) await store.deleteSession(id, ALPHA);
    const rest = await list({ cursor });
    expect(rest.items).toHaveLength(21);
    expect(ids(rest.items).filter((id) => seen.has(id))).toStrictEqual([]);
  });

  it('are created by a broadcast in the order of its assignments', async () => {
    const s = await scene(make());
    const rows = broadcast(s, 8);
    const outcomes = await executeBroadcastHandoff(s.deps, rows, s.tenant);
    const children = await s.store.getChildren(s.source.id, s.tenant);
    expect(children.map((edge) => edge.childSessionId)).toStrictEqual(
      outcomes.map(({ newSessionId }) => newSessionId),
    );
  });
});

it.each(['full', 'relaxed'] as const)(
  'keep their order when opened again, %s',
  async (durability) => {
    const rootDir = tempRoot();
    const store = new DiskSessionStore({ rootDir, durability });
    const { check } = await made(store);
    await store.close();
    const again = new DiskSessionStore({ rootDir });
    await check(again);
    await again.close();
  },
);

it('are ordered by id where nothing says how they came, and come before those made here', async () => {
  const rootDir = tempRoot();
  const store = new DiskSessionStore({ rootDir });
  const world = await World.in(store);
  const early = ids(await world.sessions(COUNT)).sort();
  await store.close();
  const copy = new DiskSessionStore({ rootDir: copyOfRecords(rootDir) });
  const list = (page: PageOptions) => copy.listSessionsByProject(world.project.id, ALPHA, page);
  expect(ids(await all(list, 7))).toStrictEqual(early);
  const late: string[] = [];
  for (let n = 0; n < COUNT; n += 1) {
    const params = { projectId: world.project.id, currentActor: null };
    late.push((await copy.createSession(params, ALPHA)).id);
  }
  expect(ids(await all(list, 7))).toStrictEqual([...early, ...late]);
  await copy.close();
});

it.each(STORES)('go on after a cursor of release 0.1, %s', async (_name, make) => {
  const store = make();
  const world = await World.in(store);
  const sessions = await world.sessions(5);
  const third = sessions[2] as (typeof sessions)[0];
  const cursor = `${third.createdAt.getTime()}.${third.id}`;
  const page = await store.listSessionsByProject(world.project.id, ALPHA, { cursor });
  expect(ids(page.items)).toStrictEqual(ids(sessions.slice(3)));
});
