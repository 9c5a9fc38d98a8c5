import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  ArchiveNotFoundError,
  DiskArchiveBackend,
  InMemorySessionStore,
  SessionEvictedError,
  verify,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { said } from '../extensions/stores.js';
import { sessionDir, subSessionDir } from '../support/paths.js';
import { rejection, rejectionOf } from '../support/rejection.js';
import { ALPHA, BETA, present } from '../support/world.js';
import { archiveWorld, describeStores, diskBackend, managerOf } from './archive-world.js';

const EVICT = { evict: true } as const;

describe('the edge of an evicted session', () => {
  describeStores((make) => {
    it('is neither deleted nor changed so that nothing leads back', async () => {
      const { store, manager, child, edge } = await archiveWorld(make);
      const { archiveRef } = await manager.archive(edge.id, ALPHA, EVICT);
      const archived = present(await store.getSubSession(edge.id, ALPHA));
      const { archiveRef: _, ...without } = archived;
      for (const refused of [
        () => store.deleteSubSession(edge.id, ALPHA),
        () => store.updateSubSession({ ...archived, status: 'active' }, ALPHA),
        () => store.updateSubSession(without, ALPHA),
        () => store.updateSubSession({ ...archived, archiveRef: 'arc_other' }, ALPHA),
        () => store.updateSubSession({ ...archived, childSessionId: edge.parentSessionId }, ALPHA),
      ]) {
        const error = await rejectionOf(refused(), SessionEvictedError);
        expect(error.details).toStrictEqual({ sessionId: child.id, archiveRef });
        expect(error.message).toContain('restoreSession');
      }
      // What leads back all the same may be changed.
      await store.updateSubSession({ ...archived, summaryRef: 'sum_new' }, ALPHA);
      await manager.restore(edge.id, ALPHA);
      expect(await store.countMessages(child.id, ALPHA)).toBe(5);
      await store.deleteSubSession(edge.id, ALPHA);
    });
  });
});

describe('restoreSession', () => {
  describeStores((make) => {
    it('puts everything back, and leaves the edge as it is', async () => {
      const { root, store, manager, child, edge } = await archiveWorld(make);
      let before = await store.loadSessionMessages(child.id, ALPHA);
      const summary = await store.getSummary(child.id, ALPHA);
      class Sub extends DiskArchiveBackend {}
      for (const one of [manager, managerOf(store, new Sub({ rootDir: root }))]) {
        await manager.archive(edge.id, ALPHA, EVICT);
        const archived = await store.getSubSession(edge.id, ALPHA);
        await one.restoreSession(child.id, ALPHA);
        expect(await store.loadSessionMessages(child.id, ALPHA)).toStrictEqual(before);
        expect(await store.getSummary(child.id, ALPHA)).toStrictEqual(summary);
        expect(await store.getSubSession(edge.id, ALPHA)).toStrictEqual(archived);
        await one.restoreSession(child.id, ALPHA);
        await store.appendMessage(child.id, said('later'), ALPHA);
        await manager.restore(edge.id, ALPHA);
        expect((await store.getSubSession(edge.id, ALPHA))?.status).toBe('idle');
        await store.replaceMessages(child.id, [], ALPHA);
        await store.appendMessages(child.id, ['a', 'b'].map(said), ALPHA);
        before = await store.loadSessionMessages(child.id, ALPHA);
      }
    });

    it('says what is missing, and whose it is', async () => {
      const { root, store, manager, child, edge } = await archiveWorld(make);
      expect((await rejection(manager.restoreSession('ses_missing', ALPHA))).message).toContain(
        'not found',
      );
      expect((await rejection(manager.restoreSession(child.id, BETA))).name).toBe(
        'TenantIsolationError',
      );
      const { archiveRef } = await manager.archive(edge.id, ALPHA, EVICT);
      rmSync(join(root, 'archive', archiveRef), { recursive: true });
      const restored = manager.restoreSession(child.id, ALPHA);
      const error = await rejectionOf(restored, ArchiveNotFoundError);
      expect(error.details).toStrictEqual({ archiveRef, reason: 'missing' });
      await rejectionOf(store.appendMessage(child.id, said('x'), ALPHA), SessionEvictedError);
    });
  });

  it('works where another program deleted the edge', async () => {
    const { root, store, manager, parent, child, edge } = await archiveWorld();
    await manager.archive(edge.id, ALPHA, EVICT);
    rmSync(join(root, subSessionDir(parent, edge)), { recursive: true });
    await manager.restoreSession(child.id, ALPHA);
    expect(await store.countMessages(child.id, ALPHA)).toBe(5);
  });

  it('does nothing for a session in memory that was never evicted', async () => {
    const { child, store } = await archiveWorld(() => new InMemorySessionStore());
    await managerOf(store, diskBackend('unused')).restoreSession(child.id, ALPHA);
    expect(await store.countMessages(child.id, ALPHA)).toBe(5);
  });
});

describe('verify', () => {
  const kinds = async (root: string) =>
    (await verify(root)).map(({ kind, path }) => [kind, path.split('/').at(-1)]);

  it('finds nothing wrong with what is archived', async () => {
    const { root, manager, edge } = await archiveWorld();
    await manager.archive(edge.id, ALPHA, EVICT);
    expect(await kinds(root)).toStrictEqual([]);
  });

  it('finds the bundle of an edge and of an eviction that is missing or incomplete', async () => {
    for (const gone of ['archive.json', 'subsession.json', '.']) {
      const { root, manager, edge } = await archiveWorld();
      const { archiveRef } = await manager.archive(edge.id, ALPHA, EVICT);
      rmSync(join(root, 'archive', archiveRef, gone), { recursive: true });
      const found = await kinds(root);
      expect(found).toContainEqual(['missing_bundle', 'evicted.json']);
      if (gone !== '.') expect(found).toContainEqual(['missing_bundle', 'subsession.json']);
    }
  });

  it('finds an eviction to which no edge leads back', async () => {
    const { root, manager, parent, child, edge } = await archiveWorld();
    await manager.archive(edge.id, ALPHA, EVICT);
    rmSync(join(root, subSessionDir(parent, edge)), { recursive: true });
    const [first] = (await verify(root)).filter(({ kind }) => kind === 'stranded_eviction');
    expect(first?.path).toBe(`${sessionDir(child)}/evicted.json`);
    expect(first?.detail).toContain('restoreSession');
  });

  it('finds an edge and an eviction that name different bundles', async () => {
    const { root, manager, parent, edge } = await archiveWorld();
    const { archiveRef } = await manager.archive(edge.id, ALPHA, EVICT);
    const { readFileSync, writeFileSync } = await import('node:fs');
    const file = join(root, subSessionDir(parent, edge), 'subsession.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(archiveRef, 'arc_another00000'));
    const found = await kinds(root);
    expect(found).toContainEqual(['stranded_eviction', 'evicted.json']);
    expect(found).toContainEqual(['missing_bundle', 'subsession.json']);
  });
});
