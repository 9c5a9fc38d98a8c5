/** One record that cannot be read, and the lists that it belongs to. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CorruptRecordError,
  DiskSessionStore,
  type Project,
  type Session,
  TenantIsolationError,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { projectFile, sessionFile } from '../support/paths.js';
import { rejectionOf } from '../support/rejection.js';
import { copyOfRecords, tempRoot } from '../support/temp-root.js';
import { ALPHA, BETA, World } from '../support/world.js';

const posix = (path: string) => path.replaceAll('\\', '/');

/** How a record becomes unreadable; not all are damage to its text. */
const DAMAGES: readonly [string, (file: string) => void, RegExp][] = [
  ['is no JSON', (file) => writeFileSync(file, '{ "id": '), /./],
  ['is empty', (file) => writeFileSync(file, ''), /./],
  ['is all NULs', (file) => writeFileSync(file, Buffer.alloc(300)), /./],
  [
    'is a folder',
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
    /EISDIR/,
  ],
];

async function setUp() {
  const rootDir = tempRoot();
  const store = new DiskSessionStore({ rootDir });
  const world = await World.in(store);
  const other = await World.in(store, BETA);
  const theirs = await other.session();
  const sessions = await world.sessions(5);
  return { rootDir, store, world, other, theirs, sessions };
}

/** Every page of a list, items and damage one after the other. */
async function pages(store: DiskSessionStore, project: Project, limit: number) {
  const items: Session[] = [];
  const damaged: unknown[] = [];
  let cursor: string | undefined;
  do {
    const options = cursor === undefined ? { limit } : { limit, cursor };
    const page = await store.listSessionsByProject(project.id, project.tenantId, options);
    items.push(...page.items);
    damaged.push(...(page.damaged ?? []));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { items, damaged };
}

describe.each(DAMAGES)('a session whose record %s', (_what, damage, reason) => {
  // With `.store/` the store knows whose it is; without, by the project that it is in.
  it.each(['as it is', 'without its index'])(
    'is named, and the others are listed, %s',
    async (how) => {
      const { rootDir, store, world, other, theirs, sessions } = await setUp();
      const [, hurt] = sessions as [Session, Session];
      await store.close();
      const dir = how === 'as it is' ? rootDir : copyOfRecords(rootDir);
      damage(join(dir, sessionFile(hurt)));
      const again = new DiskSessionStore({ rootDir: dir });
      const rest = sessions.filter((session) => session !== hurt).map(({ id }) => id);
      for (const limit of [1, 2, 100]) {
        const { items, damaged } = await pages(again, world.project, limit);
        expect(items.map(({ id }) => id).sort()).toStrictEqual([...rest].sort());
        const named = { id: hurt.id, path: posix(sessionFile(hurt)) };
        expect(damaged).toStrictEqual([{ ...named, reason: expect.stringMatching(reason) }]);
      }
      const foreign = await again.listSessionsByProject(other.project.id, BETA);
      expect(foreign).toStrictEqual({ items: [theirs] });
      expect(await again.listProjects(BETA)).toStrictEqual({ items: [other.project] });
      await again.close();
    },
  );

  it('can be deleted by its owner, and by no other tenant', async () => {
    const { rootDir, store, world, sessions } = await setUp();
    const [, hurt, child] = sessions as [Session, Session, Session];
    const edge = await world.edge(hurt, child);
    await store.close();
    damage(join(rootDir, sessionFile(hurt)));
    const again = new DiskSessionStore({ rootDir });
    await rejectionOf(again.deleteSession(hurt.id, BETA), TenantIsolationError);
    await rejectionOf(again.getSession(hurt.id, BETA), TenantIsolationError);
    await expect(again.deleteSession(hurt.id, ALPHA)).rejects.toThrow('attached sub-sessions');
    await again.deleteSubSession(edge.id, ALPHA);
    await again.deleteSession(hurt.id, ALPHA);
    expect(await again.getSession(hurt.id, ALPHA)).toBeNull();
    const { items, damaged } = await pages(again, world.project, 2);
    expect([items.length, damaged]).toStrictEqual([4, []]);
    await again.close();
  });
});

describe.each(DAMAGES)('a project whose record %s', (_what, damage, reason) => {
  it.each(['as it is', 'without its index'])('is named to its owner alone, %s', async (how) => {
    const { rootDir, store, world, other } = await setUp();
    const sound = await store.createProject({ tenantId: ALPHA, name: 'sound' }, ALPHA);
    await store.close();
    const dir = how === 'as it is' ? rootDir : copyOfRecords(rootDir);
    const file = projectFile(world.project.id);
    damage(join(dir, file));
    const again = new DiskSessionStore({ rootDir: dir });
    const named = {
      id: world.project.id,
      path: posix(file),
      reason: expect.stringMatching(reason),
    };
    expect(await again.listProjects(ALPHA)).toStrictEqual({ items: [sound], damaged: [named] });
    expect(await again.listProjects(BETA)).toStrictEqual({ items: [other.project] });
    const { items, damaged } = await pages(again, world.project, 2);
    expect(items).toHaveLength(5);
    expect(damaged).toStrictEqual([named]);
    await again.close();
  });
});

it('names again what was damaged when others become damaged between two pages', async () => {
  const { rootDir, store, world, sessions } = await setUp();
  await store.close();
  const hurt = (n: number) => {
    const session = sessions[n] as Session;
    writeFileSync(join(rootDir, sessionFile(session)), '');
    return session.id;
  };
  const list = async (cursor?: string) => {
    const again = new DiskSessionStore({ rootDir });
    const options = cursor === undefined ? { limit: 1 } : { limit: 1, cursor };
    const page = await again.listSessionsByProject(world.project.id, ALPHA, options);
    await again.close();
    return { ...page, damaged: page.damaged?.map(({ id }) => id) };
  };
  const early = hurt(1);
  const first = await list();
  expect(first.damaged).toStrictEqual([early]);
  const late = hurt(4);
  const second = await list(first.nextCursor);
  expect(second.items.map(({ id }) => id)).toStrictEqual([sessions[2]?.id]);
  expect([...(second.damaged ?? [])].sort()).toStrictEqual([early, late].sort());
  expect((await list(second.nextCursor)).damaged).toBeUndefined();
});

it('a session that was written elsewhere into a project that cannot be read is left alone', async () => {
  const { rootDir, store, world, sessions } = await setUp();
  const [hurt] = sessions as [Session];
  await store.close();
  const dir = copyOfRecords(rootDir);
  for (const session of sessions) writeFileSync(join(dir, sessionFile(session)), '');
  writeFileSync(join(dir, projectFile(world.project.id)), '');
  const again = new DiskSessionStore({ rootDir: dir });
  for (const tenant of [ALPHA, BETA] as const) {
    await rejectionOf(again.deleteSession(hurt.id, tenant), CorruptRecordError);
    expect((await again.listProjects(tenant)).damaged).toBeUndefined();
  }
  await again.close();
});
