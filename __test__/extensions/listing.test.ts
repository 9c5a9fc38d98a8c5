import type { ExtendedSessionStore, Page, PageOptions, Session } from 'namzu-native';
import { InvalidArgumentError, TenantIsolationError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { ALPHA, BETA, World } from '../support/world.js';
import { describeStores } from './stores.js';

async function* pagesOf<T>(list: (page: PageOptions) => Promise<Page<T>>, limit: number) {
  let cursor: string | undefined;
  do {
    const page: Page<T> = await list(cursor === undefined ? { limit } : { limit, cursor });
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** Sessions whose dates of creation are all the same millisecond. */
async function ofOneMillisecond(store: ExtendedSessionStore, count: number) {
  const world = await World.in(store);
  const createdAt = new Date('2026-01-02T03:04:05.678Z');
  const sessions = await Promise.all(
    Array.from({ length: count }, async () =>
      world.changeSession(await world.session(), { createdAt }),
    ),
  );
  return { world, createdAt, ids: sessions.map(({ id }) => id) };
}

describe('listing', () => {
  describeStores((make) => {
    it('pages through 205 sessions of one millisecond in the order of their creation', async () => {
      const store = make();
      const { world, ids } = await ofOneMillisecond(store, 205);
      const pages: (readonly Session[])[] = [];
      const list = (page: PageOptions) =>
        store.listSessionsByProject(world.project.id, ALPHA, page);
      for await (const { items } of pagesOf(list, 100)) pages.push(items);
      expect(pages.map((page) => page.length)).toStrictEqual([100, 100, 5]);
      expect(pages.flat().map(({ id }) => id)).toStrictEqual(ids);
      expect(pages[0]?.[0]).toStrictEqual(await store.getSession(ids[0] as never, ALPHA));
    });

    it('neither repeats nor skips what is there while others come and go', async () => {
      const store = make();
      const { world, createdAt, ids } = await ofOneMillisecond(store, 205);
      const gone = new Set<string>();
      const come = new Set<string>();
      const seen: string[] = [];
      const list = (page: PageOptions) =>
        store.listSessionsByProject(world.project.id, ALPHA, page);
      for await (const { items } of pagesOf(list, 100)) {
        seen.push(...items.map(({ id }) => id));
        // The very record that the cursor was made from, one passed and one to come.
        for (const id of [items.at(-1)?.id, items[0]?.id, ids.find((id) => !seen.includes(id))]) {
          if (id === undefined) continue;
          gone.add(id);
          await store.deleteSession(id as never, ALPHA);
        }
        const early = await world.changeSession(await world.session(), { createdAt });
        come.add(early.id).add((await world.session()).id);
      }
      expect(new Set(seen).size).toBe(seen.length);
      const throughout = ids.filter((id) => !gone.has(id));
      expect(seen.filter((id) => throughout.includes(id as never))).toStrictEqual(throughout);
      expect(seen.filter((id) => !ids.includes(id as never)).every((id) => come.has(id))).toBe(
        true,
      );
    });

    it('is oldest first and by status', async () => {
      const store = make();
      const world = await World.in(store);
      const made = await world.sessions(3);
      for (const [index, session] of made.entries()) {
        const createdAt = new Date(3000 - index * 1000);
        const status = index === 1 ? 'failed' : 'idle';
        await world.changeSession(session, { createdAt, status });
      }
      const order = (page: Page<Session>) =>
        page.items.map(({ id }) => made.findIndex((s) => s.id === id));
      const all = await store.listSessionsByProject(world.project.id, ALPHA);
      expect(order(all)).toStrictEqual([2, 1, 0]);
      expect(all).not.toHaveProperty('nextCursor');
      const idle = { status: 'idle', limit: 1 } as const;
      const first = await store.listSessionsByProject(world.project.id, ALPHA, idle);
      expect(order(first)).toStrictEqual([2]);
      const second = await store.listSessionsByProject(world.project.id, ALPHA, {
        ...idle,
        ...(first.nextCursor === undefined ? {} : { cursor: first.nextCursor }),
      });
      expect(order(second)).toStrictEqual([0]);
      expect(second.nextCursor).toBeUndefined();
    });

    it('shows a tenant its own projects alone', async () => {
      const store = make();
      const [first, second] = [await World.in(store), await World.in(store)];
      const other = await World.in(store, BETA);
      const ids = (page: Page<{ id: string }>) => page.items.map(({ id }) => id).sort();
      expect(ids(await store.listProjects(ALPHA))).toStrictEqual(
        [first.project.id, second.project.id].sort(),
      );
      expect(ids(await store.listProjects(BETA, { limit: 5 }))).toStrictEqual([other.project.id]);
      expect(await store.listProjects('tnt_nobody')).toStrictEqual({ items: [] });
      await rejectionOf(store.listSessionsByProject(other.project.id, ALPHA), TenantIsolationError);
      expect(await store.listSessionsByProject('prj_missing', ALPHA)).toStrictEqual({ items: [] });
      expect(await store.listSessionsByProject('../x' as never, ALPHA)).toStrictEqual({
        items: [],
      });
    });

    it.each([{ limit: 0 }, { limit: -1 }, { limit: 1.5 }, { limit: '5' }, { cursor: 'x' }, 7])(
      'refuses the page %j',
      async (page) => {
        const store = make();
        const { project } = await World.in(store);
        await rejectionOf(store.listProjects(ALPHA, page as never), InvalidArgumentError);
        await rejectionOf(
          store.listSessionsByProject(project.id, ALPHA, page as never),
          InvalidArgumentError,
        );
      },
    );
  });
});
