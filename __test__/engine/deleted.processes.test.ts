/** What was deleted is gone although other processes have a hand in it: alive, killed, long dead. */

import { cpSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSessionStore, executeSingleHandoff } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { single } from '../handoff/fixtures.js';
import { git, leftovers, site } from '../handoff/processes.js';
import { RemoteStore } from '../processes/support/remote-store.js';
import { diskWorld } from '../support/disk-world.js';
import { sessionDir } from '../support/paths.js';
import { ALPHA, present, type World } from '../support/world.js';
import { filesWith, journalIsEmpty, trashOf } from './engine-files.js';

const MARKER = 'd3Ad-and-buried';
const said = (content: string) => ({ role: 'user', content }) as const;

async function markedSession(world: World) {
  const session = await world.session({ kind: 'user', userId: `usr_${MARKER}`, tenantId: ALPHA });
  await world.store.appendMessage(session.id, said(MARKER), ALPHA);
  await world.store.recordSummary(world.summary(session, { agentSummary: MARKER }), ALPHA);
  return session;
}

describe('what was deleted is in no file', () => {
  it.each(['full', 'relaxed'] as const)(
    'while another process (%s) keeps the root open, nor when that one goes on',
    async (durability) => {
      const { world, root } = await diskWorld();
      const session = await markedSession(world);
      const other = await RemoteStore.start(root, durability);
      await other.store.appendMessage(session.id, said(`${MARKER} of the other`), ALPHA);
      expect(await other.store.loadMessages(session.id, ALPHA)).toHaveLength(2);
      expect(await other.store.getSummary(session.id, ALPHA)).not.toBeNull();
      await world.store.deleteSession(session.id, ALPHA);
      await (world.store as DiskSessionStore).close();
      expect(filesWith(root, MARKER)).toStrictEqual([]);
      expect(trashOf(root)).toStrictEqual([]);

      // It has seen all of it, and must not write any of it again.
      expect(await other.store.getSession(session.id, ALPHA)).toBeNull();
      const next = await other.store.createSession(
        { projectId: world.project.id, currentActor: null },
        ALPHA,
      );
      await other.store.appendMessage(next.id, said('more'), ALPHA);
      await (other.store as DiskSessionStore).close();
      expect(filesWith(root, MARKER)).toStrictEqual([]);
      expect(journalIsEmpty(root)).toBe(true);
    },
  );

  it('when the other process deleted it and this one closes', async () => {
    const { world, root } = await diskWorld();
    const session = await markedSession(world);
    const other = await RemoteStore.start(root);
    await other.store.deleteSession(session.id, ALPHA);
    await (world.store as DiskSessionStore).close();
    expect(filesWith(root, MARKER)).toStrictEqual([]);
  });

  it.each([
    ['wrote it', false],
    ['deleted it', true],
  ])(
    'when the process that %s was killed right after, its journal as it was',
    async (_, deletes) => {
      const { world, root } = await diskWorld();
      await (world.store as DiskSessionStore).close();
      const other = await RemoteStore.start(root);
      const session = await other.store.createSession(
        { projectId: world.project.id, currentActor: null },
        ALPHA,
      );
      for (let n = 0; n < 20; n += 1) {
        await other.store.appendMessage(session.id, said(`${MARKER} ${n}`), ALPHA);
      }
      if (deletes) await other.store.deleteSession(session.id, ALPHA);
      await other.kill();
      expect(filesWith(root, MARKER)).toContain('.store/frames');
      const store = new DiskSessionStore({ rootDir: root });
      if (!deletes) await store.deleteSession(session.id, ALPHA);
      await store.close();
      expect(filesWith(root, MARKER)).toStrictEqual([]);
      expect(journalIsEmpty(root)).toBe(true);
    },
  );

  it('when it lay in the trash of a process that died before it was emptied', async () => {
    const { world, root } = await diskWorld();
    const [session, another] = [await markedSession(world), await markedSession(world)];
    await (world.store as DiskSessionStore).close();
    const trash = join(root, '.store/trash');
    mkdirSync(trash, { recursive: true });
    cpSync(join(root, sessionDir(another)), join(trash, '7.1'), { recursive: true });
    renameSync(join(root, sessionDir(session)), join(trash, '7.0'));
    writeFileSync(join(trash, '7.2'), MARKER);
    const store = new DiskSessionStore({ rootDir: root });
    expect(await store.getSession(session.id, ALPHA)).toBeNull();
    await store.deleteSession(another.id, ALPHA);
    await store.close();
    expect(filesWith(root, MARKER)).toStrictEqual([]);
    expect(trashOf(root)).toStrictEqual([]);
  });

  it('when it was in a workspace that a handoff made, once that is disposed of', async () => {
    const there = await site();
    const { store, tenant } = there;
    const s = { ...there, project: { id: there.project }, source: { id: there.source } } as never;
    const assignment = { ...single(s), id: `hof_${MARKER}` as const };
    const made: unknown[] = [];
    const driver = there.deps.workspaceRegistry.get('git-worktree');
    const create = driver.create.bind(driver);
    driver.create = async (params) => {
      const ref = await create(params);
      made.push(ref);
      return ref;
    };
    const { newSessionId } = await executeSingleHandoff(there.deps, assignment, tenant);
    Reflect.deleteProperty(driver, 'create');
    const [ref] = made as [{ meta: { worktreePath: string } }];
    writeFileSync(join(ref.meta.worktreePath, 'uncommitted'), MARKER);
    const [edge] = await store.getChildren(there.source, tenant);
    await store.appendMessage(newSessionId, said(MARKER), tenant);

    await driver.dispose(ref as never);
    await store.deleteSubSession(present(edge).id, tenant);
    await store.deleteSession(newSessionId, tenant);
    await store.close();
    expect(existsSync(ref.meta.worktreePath)).toBe(false);
    expect(filesWith(there.rootDir, MARKER)).toStrictEqual([]);
    // The branch stays, with what was committed: it is the application's to delete.
    expect(leftovers(there)).toMatchObject({ worktrees: 0, branches: 1, intents: [] });
    git(there.repoRoot, 'branch', '-D', `namzu/handoff-hof_${MARKER}`);
    expect(filesWith(there.repoRoot, MARKER)).toStrictEqual([]);
  });
});
