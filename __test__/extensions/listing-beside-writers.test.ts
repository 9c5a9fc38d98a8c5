import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSessionStore, type Session } from 'namzu-native';
import { expect, it } from 'vitest';
import { sessionFile } from '../support/paths.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, present, World } from '../support/world.js';

/** A store whose listing was read before, and its three sessions in the order of their making. */
async function listed() {
  const rootDir = tempRoot();
  const store = new DiskSessionStore({ rootDir });
  const world = await World.in(store);
  const made: Session[] = [];
  for (let n = 0; n < 3; n += 1) {
    made.push(await world.session());
    await new Promise((done) => setTimeout(done, 5));
  }
  const { projectId } = present(made[0]);
  const pages = async (...stores: DiskSessionStore[]) => {
    const order: number[] = [];
    let cursor: string | undefined;
    let page = 0;
    do {
      const reader = present(stores[page % stores.length]);
      const next = await reader.listSessionsByProject(projectId, ALPHA, { limit: 1, cursor });
      order.push(...next.items.map(({ id }) => made.findIndex((session) => session.id === id)));
      cursor = next.nextCursor;
      page += 1;
    } while (cursor !== undefined);
    return order;
  };
  expect(await pages(store)).toStrictEqual([0, 1, 2]);
  return { rootDir, store, first: present(made[0]), pages };
}

const hourLater = (date: Date) => new Date(date.getTime() + 3_600_000);

it('lists each session once after another store changed when one was created', async () => {
  const { rootDir, store, first, pages } = await listed();
  const other = new DiskSessionStore({ rootDir });
  await other.updateSession({ ...first, createdAt: hourLater(first.createdAt) }, ALPHA);
  expect(await pages(store)).toStrictEqual([1, 2, 0]);
  expect(await pages(other)).toStrictEqual([1, 2, 0]);
  expect(await pages(store, other)).toStrictEqual([1, 2, 0]);
});

it('lists each session once after another program changed when one was created', async () => {
  const { rootDir, store, first, pages } = await listed();
  const file = join(rootDir, sessionFile(first));
  const text = readFileSync(file, 'utf8');
  const [from, to] = [first.createdAt, hourLater(first.createdAt)].map((at) => at.toISOString());
  writeFileSync(file, text.replace(`"createdAt": "${from}"`, `"createdAt": "${to}"`));
  expect(await pages(store)).toStrictEqual([1, 2, 0]);
});
