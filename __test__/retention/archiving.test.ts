import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SubSessionStatus } from 'namzu-native';
import {
  ArchivalManager,
  ArchiveNotConfiguredError,
  InvalidArgumentError,
  SessionEvictedError,
  SubSessionNotArchivableError,
  SubSessionNotArchivedError,
  TenantIsolationError,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { said } from '../extensions/stores.js';
import { sessionDir } from '../support/paths.js';
import { rejectionOf } from '../support/rejection.js';
import { bytesOf } from '../support/tree.js';
import { ALPHA, BETA, present } from '../support/world.js';
import { archiveWorld, describeStores, diskBackend, managerOf } from './archive-world.js';

describe('archiving', () => {
  describeStores((make) => {
    it('seals a bundle, marks the edge and tells about it once', async () => {
      const { store, backend, manager, edge, child, tombstones } = await archiveWorld(make);
      const tombstone = await manager.archive(edge.id, ALPHA);
      expect(tombstone).toStrictEqual({
        subSessionId: edge.id,
        sessionId: child.id,
        tenantId: ALPHA,
        archiveRef: expect.stringMatching(/^arc_[0-9a-z]{12}$/),
        archivedAt: expect.any(Date),
      });
      expect(tombstones).toStrictEqual([tombstone]);
      const { archiveRef, archivedAt } = tombstone;
      const archived = present(await store.getSubSession(edge.id, ALPHA));
      const { updatedAt } = archived;
      expect(archived).toStrictEqual({
        ...edge,
        status: 'archived',
        archiveRef,
        archivedAt,
        updatedAt,
      });
      expect(await backend.restore(archiveRef)).toStrictEqual({
        subSessionId: edge.id,
        sessionId: child.id,
        tenantId: ALPHA,
        summaryRef: await store.getSummary(child.id, ALPHA),
        messages: await store.loadSessionMessages(child.id, ALPHA),
      });
      expect(await store.countMessages(child.id, ALPHA)).toBe(5);
    });

    it('restores to idle, and makes a new bundle each time', async () => {
      const { store, backend, manager, edge } = await archiveWorld(make);
      const first = await manager.archive(edge.id, ALPHA);
      const restored: unknown[] = [];
      const told = managerOf(store, backend, { onRestored: (...args) => restored.push(args) });
      await told.restore(edge.id, ALPHA);
      expect(restored).toStrictEqual([[edge.id, ALPHA]]);
      const { updatedAt, ...now } = present(await store.getSubSession(edge.id, ALPHA));
      const { updatedAt: before, ...then } = edge;
      expect(now).toStrictEqual(then);
      expect(updatedAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
      const second = await manager.archive(edge.id, ALPHA);
      expect(second.archiveRef).not.toBe(first.archiveRef);
    });

    it('leaves a stream that began before an eviction as it was', async () => {
      const { store, manager, edge, child } = await archiveWorld(make);
      const long = Array.from({ length: 20 }, (_, n) => said(`${n} ${'x'.repeat(100_000)}`));
      await store.appendMessages(child.id, long, ALPHA);
      const all = await store.loadSessionMessages(child.id, ALPHA);
      const stream = store.streamMessages(child.id, ALPHA);
      const read = [(await stream.next()).value];
      await manager.archive(edge.id, ALPHA, { evict: true });
      for await (const message of stream) read.push(message);
      expect(read).toStrictEqual(all);
      expect((await store.streamMessages(child.id, ALPHA).next()).done).toBe(true);
    });

    it('evicts, and puts everything back', async () => {
      const { store, manager, edge, child } = await archiveWorld(make);
      const [messages, summary] = [
        await store.loadSessionMessages(child.id, ALPHA),
        await store.getSummary(child.id, ALPHA),
      ];
      const { archiveRef } = await manager.archive(edge.id, ALPHA, { evict: true });
      expect(await store.loadMessages(child.id, ALPHA)).toStrictEqual([]);
      expect(await store.loadSessionMessages(child.id, ALPHA, { limit: 2 })).toStrictEqual([]);
      expect((await store.streamMessages(child.id, ALPHA).next()).done).toBe(true);
      const after = present(messages[1]).id;
      for (const range of [{ after }, { before: after, limit: 1 }]) {
        const page = store.loadMessages(child.id, ALPHA, range);
        await rejectionOf(page, InvalidArgumentError);
        const stream = store.streamMessages(child.id, ALPHA, range).next();
        await rejectionOf(stream, InvalidArgumentError);
      }
      expect(await store.countMessages(child.id, ALPHA)).toBe(0);
      expect(await store.getSummary(child.id, ALPHA)).toBeNull();
      for (const refused of [
        () => store.appendMessage(child.id, said('x'), ALPHA),
        () => store.appendMessages(child.id, [said('x')], ALPHA),
        () => store.replaceMessages(child.id, [], ALPHA),
        () => store.recordSummary({ ...present(summary), id: 'sum_other' }, ALPHA),
      ]) {
        const error = await rejectionOf(refused(), SessionEvictedError);
        expect(error.details).toStrictEqual({ sessionId: child.id, archiveRef });
      }
      await manager.restore(edge.id, ALPHA);
      expect(await store.loadSessionMessages(child.id, ALPHA)).toStrictEqual(messages);
      expect(await store.getSummary(child.id, ALPHA)).toStrictEqual(summary);
      const again = ['a', 'b', 'c', 'd', 'e'].map(said);
      expect(
        await store.appendMessages(child.id, again, ALPHA, { idempotencyKey: 'k' }),
      ).toStrictEqual(messages.map(({ id }) => id));
      await store.appendMessage(child.id, said('f'), ALPHA);
      expect(await store.countMessages(child.id, ALPHA)).toBe(6);
    });

    it('refuses another edge of an evicted child', async () => {
      const { store, manager, world, parent, child, edge } = await archiveWorld(make);
      const other = await world.change(await world.edge(parent, child), { status: 'idle' });
      const { archiveRef } = await manager.archive(edge.id, ALPHA, { evict: true });
      const error = await rejectionOf(manager.archive(other.id, ALPHA), SessionEvictedError);
      expect(error.details).toStrictEqual({ sessionId: child.id, archiveRef });
      expect((await store.getSubSession(other.id, ALPHA))?.status).toBe('idle');
    });

    it('makes one bundle of many calls at once', async () => {
      const { root, manager, edge, store } = await archiveWorld(make);
      const calls = Array.from({ length: 6 }, (_, index) =>
        (index % 2 === 0 ? manager : managerOf(store, diskBackend(root))).archive(edge.id, ALPHA),
      );
      const settled = await Promise.allSettled(calls);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of settled) {
        if (result.status === 'fulfilled') continue;
        expect(result.reason).toBeInstanceOf(SubSessionNotArchivableError);
        expect(result.reason.details).toStrictEqual({
          subSessionId: edge.id,
          reason: 'already_archived',
        });
      }
      expect(readdirSync(join(root, 'archive'))).toHaveLength(1);
    });

    it('keeps the log whole in one place while messages are appended', async () => {
      const { store, manager, edge, child } = await archiveWorld(make);
      for (let round = 0; round < 10; round += 1) {
        const before = await store.loadSessionMessages(child.id, ALPHA);
        const calls: Promise<unknown>[] = [];
        for (let n = 0; n < 10; n += 1) {
          calls.push(store.appendMessage(child.id, said(`${round}.${n}`), ALPHA));
          if (n === 4) calls.push(manager.archive(edge.id, ALPHA, { evict: true }));
        }
        const settled = await Promise.allSettled(calls);
        const appended = settled.filter(
          (result) => result.status === 'fulfilled' && typeof result.value === 'string',
        );
        await manager.restore(edge.id, ALPHA).catch(() => undefined);
        const after = await store.loadSessionMessages(child.id, ALPHA);
        expect(after.slice(0, before.length)).toStrictEqual(before);
        expect(after.length).toBe(before.length + appended.length);
      }
    });

    it.each<[SubSessionStatus, boolean]>([
      ['idle', true],
      ['merged', true],
      ['merge_rejected', true],
      ['failed', true],
      ['pending', false],
      ['active', false],
      ['awaiting_merge', false],
      ['pending_merge', false],
      ['merging', false],
      ['merge_conflict', false],
    ])('takes an edge that is %s: %s', async (status, taken) => {
      const { root, manager, world, edge, tombstones } = await archiveWorld(make);
      await world.change(edge, { status });
      if (taken) {
        await manager.archive(edge.id, ALPHA);
        return;
      }
      const error = await rejectionOf(
        manager.archive(edge.id, ALPHA),
        SubSessionNotArchivableError,
      );
      expect(error.details).toStrictEqual({ subSessionId: edge.id, reason: 'not_idle' });
      expect(tombstones).toStrictEqual([]);
      expect(existsSync(join(root, 'archive'))).toBe(false);
    });

    it('says what is missing, archived already, or not archived', async () => {
      const { store, manager, world, edge } = await archiveWorld(make);
      for (const id of ['sub_missing', '../x', 'sub_../x'] as never[]) {
        const archive = await rejectionOf(manager.archive(id, ALPHA), SubSessionNotArchivableError);
        expect(archive.details).toStrictEqual({ subSessionId: id, reason: 'missing' });
        const restore = await rejectionOf(manager.restore(id, ALPHA), SubSessionNotArchivedError);
        expect(restore.details).toStrictEqual({ subSessionId: id, reason: 'missing' });
      }
      const details = async () =>
        (await rejectionOf(manager.restore(edge.id, ALPHA), SubSessionNotArchivedError)).details;
      expect(await details()).toStrictEqual({ subSessionId: edge.id, reason: 'not_archived' });
      await world.change(edge, { status: 'archived' });
      expect(await details()).toStrictEqual({
        subSessionId: edge.id,
        reason: 'missing_archive_ref',
      });
      const again = await rejectionOf(
        manager.archive(edge.id, ALPHA),
        SubSessionNotArchivableError,
      );
      expect(again.details.reason).toBe('already_archived');
      await rejectionOf(manager.archive(edge.id, BETA), TenantIsolationError);
      const bare = new ArchivalManager({
        sessionStore: store,
        workspaceRegistry: new WorkspaceBackendRegistry(),
      });
      await rejectionOf(bare.archive(edge.id, ALPHA), ArchiveNotConfiguredError);
      await rejectionOf(bare.restore(edge.id, ALPHA), ArchiveNotConfiguredError);
      await rejectionOf(bare.sweep('prj_x', ALPHA), ArchiveNotConfiguredError);
    });
  });
});

describe('eviction on disk', () => {
  it.each([
    ['plain', ''],
    ['with a torn end', '{"id":"msg_torn","sess'],
    ['with blank lines', '\n\n'],
  ])('puts a log %s back to the byte, with whatever keys it had', async (_, end) => {
    const { appendFile, readFile, writeFile } = await import('node:fs/promises');
    const { root, store, manager, child, edge } = await archiveWorld();
    await store.replaceMessages(child.id, [said('x'), said('y')], ALPHA);
    const dir = join(root, sessionDir(child));
    await appendFile(join(dir, 'messages.jsonl'), end);
    const summary = JSON.parse(await readFile(join(dir, 'summary.json'), 'utf8'));
    await writeFile(join(dir, 'summary.json'), JSON.stringify({ ...summary, ours: [1] }, null, 4));
    const before = await bytesOf(root, [sessionDir(child)]);
    const { archiveRef } = await manager.archive(edge.id, ALPHA, { evict: true });
    expect(readdirSync(dir).sort()).toStrictEqual(['evicted.json', 'session.json']);
    // The bundle is one that the SDK reads, whatever the log was.
    const lines = await readFile(join(root, 'archive', archiveRef, 'messages.jsonl'), 'utf8');
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).message),
    ).toStrictEqual([said('x'), said('y')]);
    await manager.restore(edge.id, ALPHA);
    expect(await bytesOf(root, [sessionDir(child)])).toStrictEqual(before);
  });
});

describe('a long session', () => {
  it('of 100,000 messages is archived, evicted and restored', async () => {
    const { root, store, manager, child, edge } = await archiveWorld();
    for (let n = 0; n < 100; n += 1) {
      const batch = Array.from({ length: 1000 }, (_, index) =>
        said(`${n * 1000 + index} ☂ \ud800`),
      );
      await store.appendMessages(child.id, batch, ALPHA);
    }
    const before = await bytesOf(root, [sessionDir(child)]);
    await manager.archive(edge.id, ALPHA, { evict: true });
    expect(await store.countMessages(child.id, ALPHA)).toBe(0);
    await manager.restore(edge.id, ALPHA);
    const after = await bytesOf(root, [sessionDir(child)]);
    expect([...after.keys()]).toStrictEqual([...before.keys()]);
    for (const [name, bytes] of before) expect(after.get(name) === bytes, name).toBe(true);
    expect(await store.countMessages(child.id, ALPHA)).toBe(100_005);
  });
});
