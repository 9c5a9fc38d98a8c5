import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ArchiveBackend, ArchiveInput, SessionMessage, SubSession } from 'namzu-native';
import {
  ArchiveNotFoundError,
  DiskArchiveBackend,
  DiskSessionStore,
  InvalidArgumentError,
  SessionEvictedError,
  SubSessionNotArchivableError,
} from 'namzu-native';
import { describe, expect, it, onTestFinished } from 'vitest';
import { said } from '../extensions/stores.js';
import { childScript } from '../support/child.js';
import { rejectionOf } from '../support/rejection.js';
import { tempDir } from '../support/temp-root.js';
import { ALPHA, BETA, present } from '../support/world.js';
import { archiveWorld, describeStores, managerOf } from './archive-world.js';

const EVICT = { evict: true } as const;

describe('a bundle that is being written', () => {
  it('is taken by no sweep, and neither is one that is sealed', async () => {
    const { backend, manager, world } = await archiveWorld();
    const message: SessionMessage = {
      ...{ id: 'msg_a', sessionId: 'ses_a', tenantId: ALPHA, at: new Date() },
      message: said('x'.repeat(1000)),
    };
    const messages = Array.from({ length: 3000 }, () => message);
    const identity = { subSessionId: 'sub_a', sessionId: 'ses_a', tenantId: ALPHA } as const;
    for (let round = 0; round < 4; round += 1) {
      let done = false;
      const stored = backend.store({ ...identity, messages }).finally(() => {
        done = true;
      });
      while (!done) await manager.sweep(world.project.id, ALPHA);
      const { archiveRef } = await stored;
      await manager.sweep(world.project.id, ALPHA);
      expect((await backend.restore(archiveRef)).messages).toHaveLength(messages.length);
    }
  }, 60_000);
});

describe('a child with two edges', () => {
  it('that is evicted and restored while it is read loses nothing', async () => {
    const { root, store, backend, manager, world, parent, child, edge } = await archiveWorld();
    const other = await world.change(await world.edge(parent, child), { status: 'idle' });
    const before = await store.loadSessionMessages(child.id, ALPHA);
    // In another process: its turns are not ours.
    const elsewhere = async (what: 'archive' | 'restore') => {
      const args = [childScript('retain.mjs'), root, ALPHA, '1', what, other.id];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const told = text(child.stdout);
      child.stdin.end();
      expect(await told).toContain('"failed":[]');
    };
    let reads = 0;
    class Slow extends DiskSessionStore {
      override async loadSessionMessages(
        ...args: Parameters<DiskSessionStore['loadSessionMessages']>
      ) {
        reads += 1;
        if (reads > 1) return super.loadSessionMessages(...args);
        await elsewhere('archive');
        const none = await super.loadSessionMessages(...args);
        await elsewhere('restore');
        expect(none).toStrictEqual([]);
        return none;
      }
    }
    const { archiveRef } = await managerOf(new Slow({ rootDir: root }), backend).archive(
      edge.id,
      ALPHA,
      EVICT,
    );
    expect(reads).toBe(2);
    expect((await backend.restore(archiveRef)).messages).toStrictEqual(before);
    await manager.restore(edge.id, ALPHA);
    expect(await store.loadSessionMessages(child.id, ALPHA)).toStrictEqual(before);
  });

  describeStores((make) => {
    it('is archived by turns', async () => {
      const { store, manager, world, parent, child, edge } = await archiveWorld(make);
      const other = await world.change(await world.edge(parent, child), { status: 'idle' });
      const before = await store.loadSessionMessages(child.id, ALPHA);
      const around = async ({ id }: SubSession) => {
        for (let n = 0; n < 10; n += 1) {
          await manager.archive(id, ALPHA, EVICT).catch(() => undefined);
          await manager.restore(id, ALPHA).catch(() => undefined);
        }
      };
      await Promise.all([around(edge), around(other)]);
      expect(await store.loadSessionMessages(child.id, ALPHA)).toStrictEqual(before);
    });

    it('is not called restored while the eviction names another bundle', async () => {
      const { store, manager, world, parent, child, edge } = await archiveWorld(make);
      const other = await world.change(await world.edge(parent, child), { status: 'idle' });
      await manager.archive(other.id, ALPHA);
      const { archiveRef } = await manager.archive(edge.id, ALPHA, EVICT);
      const error = await rejectionOf(manager.restore(other.id, ALPHA), SessionEvictedError);
      expect(error.details).toStrictEqual({ sessionId: child.id, archiveRef });
      expect((await store.getSubSession(other.id, ALPHA))?.status).toBe('archived');
      await manager.restore(edge.id, ALPHA);
      await manager.restore(other.id, ALPHA);
      expect(await store.countMessages(child.id, ALPHA)).toBe(5);
    });
  });
});

describe('a log that is replaced while it is archived', () => {
  describeStores((make) => {
    it('keeps what was answered last', async () => {
      for (let round = 0; round < 25; round += 1) {
        const { store, manager, child, edge } = await archiveWorld(make);
        const batch = (word: string) => Array.from({ length: 50 }, () => said(word.repeat(300)));
        await store.replaceMessages(child.id, batch('OLD'), ALPHA);
        const archived = manager.archive(edge.id, ALPHA, EVICT).catch(() => undefined);
        for (let n = 0; n < round % 9; n += 1) await new Promise(setImmediate);
        const replaced = await store.replaceMessages(child.id, batch('NEW'), ALPHA).then(
          () => 'NEW',
          () => 'OLD',
        );
        await archived;
        await manager.restore(edge.id, ALPHA).catch(() => undefined);
        const [first] = await store.loadMessages(child.id, ALPHA);
        expect(first?.content?.slice(0, 3)).toBe(replaced);
      }
    }, 60_000);
  });
});

/** Archives with a backend of an application's own, each in a process of its own. */
async function archiveInProcesses(root: string, id: string, bundles: string, count: number) {
  const children: ChildProcess[] = [];
  for (let n = 0; n < count; n += 1) {
    const args = [childScript('archive-slowly.mjs'), root, ALPHA, id, bundles];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    children.push(child);
    await once(present(child.stdout), 'data');
  }
  const answers = children.map((child) => text(present(child.stdout)));
  for (const child of children) child.stdin?.end();
  return (await Promise.all(answers)).map((answer) => JSON.parse(answer));
}

describe('two processes over a backend of the application', () => {
  it('archive one edge: one is named, the other is refused, and the way back is whole', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { root, store, edge, child } = await archiveWorld();
      const bundles = tempDir();
      const before = await store.loadSessionMessages(child.id, ALPHA);
      const told = await archiveInProcesses(root, edge.id, bundles, 2);
      const named = told.filter(({ archiveRef }) => archiveRef !== undefined);
      expect(named).toHaveLength(1);
      expect(told).toContainEqual({
        name: 'SubSessionNotArchivableError',
        reason: 'already_archived',
      });
      const { archiveRef } = present(await store.getSubSession(edge.id, ALPHA));
      expect(archiveRef).toBe(named[0].archiveRef);
      const backend: ArchiveBackend = {
        kind: 'files',
        store: () => expect.unreachable(),
        restore: async (ref) => JSON.parse(readFileSync(join(bundles, ref), 'utf8')),
      };
      await managerOf(store, backend).restore(edge.id, ALPHA);
      expect(await store.loadSessionMessages(child.id, ALPHA)).toStrictEqual(before);
    }
  }, 60_000);
});

/** A backend of an application's own, and what it keeps. */
function mapBackend(during: () => Promise<unknown> = async () => undefined) {
  const bundles = new Map<string, ArchiveInput>();
  const backend: ArchiveBackend = {
    kind: 'map',
    async store(input) {
      await during();
      const archiveRef = `arc_${bundles.size}` as const;
      bundles.set(archiveRef, structuredClone(input));
      return { archiveRef, archivedAt: new Date() };
    },
    restore: async (ref) => present(bundles.get(ref)),
  };
  return { backend, bundles };
}

describe('an edge that changes during the upload', () => {
  describeStores((make) => {
    it('stays as it was set', async () => {
      const { store, world, edge } = await archiveWorld(make);
      for (const options of [{}, EVICT]) {
        const { backend } = mapBackend(() =>
          world.change(edge, { status: 'active', summaryRef: 'sum_new' }),
        );
        const archived = managerOf(store, backend).archive(edge.id, ALPHA, options);
        const error = await rejectionOf(archived, SubSessionNotArchivableError);
        expect(error.details.reason).toBe('not_idle');
        expect(await store.getSubSession(edge.id, ALPHA)).toMatchObject({
          ...{ status: 'active', summaryRef: 'sum_new' },
        });
        await world.change(edge, { status: 'idle' });
      }
    });

    it('is archived with what it became, where it still may be', async () => {
      const { store, world, edge } = await archiveWorld(make);
      let uploads = 0;
      const { backend } = mapBackend(async () => {
        uploads += 1;
        if (uploads === 1) await world.change(edge, { status: 'merged', summaryRef: 'sum_new' });
      });
      const { summaryRef } = await managerOf(store, backend).archive(edge.id, ALPHA);
      expect([uploads, summaryRef]).toStrictEqual([2, 'sum_new']);
    });

    it('is not brought back when it is deleted while it is restored', async () => {
      const { store, edge } = await archiveWorld(make);
      const { backend } = mapBackend();
      const manager = managerOf(store, backend);
      await manager.archive(edge.id, ALPHA);
      const restore = backend.restore.bind(backend);
      backend.restore = async (ref) => {
        await store.deleteSubSession(edge.id, ALPHA);
        return restore(ref);
      };
      await expect(manager.restore(edge.id, ALPHA)).rejects.toThrow('missing');
      expect(await store.getSubSession(edge.id, ALPHA)).toBeNull();
    });
  });
});

describe('what cannot be restored', () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  const message = { id: 'msg_a', sessionId: 'ses_a', tenantId: ALPHA, message: said('x'), at };
  const input = { subSessionId: 'sub_a', sessionId: 'ses_a', tenantId: ALPHA };

  it.each([
    ['another tenant’s message', { messages: [{ ...message, tenantId: BETA }] }],
    ['a message without a tenant', { messages: [{ ...message, tenantId: undefined }] }],
    ['a message without a date', { messages: [{ ...message, at: undefined }] }],
    ['a message with an invalid date', { messages: [{ ...message, at: new Date(Number.NaN) }] }],
    ['a message without content', { messages: [{ ...message, message: undefined }] }],
    ['half a summary', { messages: [], summaryRef: { id: 'sum_a' } }],
  ])('is refused by the backend: %s', async (_, part) => {
    const { root, backend } = await archiveWorld();
    await rejectionOf(backend.store({ ...input, ...part } as never), InvalidArgumentError);
    expect(readdirSync(join(root, 'archive'))).toStrictEqual([]);
  });

  it('is not evicted: a store that shows other messages than it keeps', async () => {
    const { root, store, backend, edge, child } = await archiveWorld();
    class Redacting extends DiskSessionStore {
      override async loadSessionMessages(
        ...args: Parameters<DiskSessionStore['loadSessionMessages']>
      ) {
        const messages = await super.loadSessionMessages(...args);
        return messages.map((one) => ({ ...one, message: said('…') }));
      }
    }
    const manager = managerOf(new Redacting({ rootDir: root }), backend);
    await rejectionOf(manager.archive(edge.id, ALPHA, EVICT), InvalidArgumentError);
    expect(await store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    expect(await store.countMessages(child.id, ALPHA)).toBe(5);
    await manager.archive(edge.id, ALPHA);
  });

  it('is not evicted: a backend that forgets', async () => {
    const { store, edge, child } = await archiveWorld();
    const { backend } = mapBackend();
    const restore = backend.restore.bind(backend);
    backend.restore = async (ref) => ({ ...(await restore(ref)), messages: [] });
    const archived = managerOf(store, backend).archive(edge.id, ALPHA, EVICT);
    const error = await rejectionOf(archived, ArchiveNotFoundError);
    expect(error.details.reason).toBe('corrupt');
    expect(await store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    expect(await store.countMessages(child.id, ALPHA)).toBe(5);
  });

  it.each([
    ['nothing', undefined],
    ['no reference', {}],
    ['an empty reference', { archiveRef: '', archivedAt: at }],
    ['a number', { archiveRef: 5, archivedAt: at }],
    ['no date', { archiveRef: 'arc_a' }],
    ['an invalid date', { archiveRef: 'arc_a', archivedAt: new Date(Number.NaN) }],
  ])('is not marked: a backend that answers %s', async (_, answer) => {
    const { store, edge } = await archiveWorld();
    const backend = { kind: 'x', store: async () => answer, restore: async () => undefined };
    for (const options of [{}, EVICT]) {
      const archived = managerOf(store, backend as never).archive(edge.id, ALPHA, options);
      await rejectionOf(archived, InvalidArgumentError);
      expect(await store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    }
  });
});

describe('another’s bundle', () => {
  describeStores((make) => {
    it('is restored by no edge, whatever backend has it', async () => {
      const { store, world, parent, edge } = await archiveWorld(make);
      const other = await world.edge(parent, await world.session());
      await world.change(other, { status: 'idle' });
      const { backend, bundles } = mapBackend();
      const manager = managerOf(store, backend);
      const mine = await manager.archive(edge.id, ALPHA);
      const { archiveRef } = await manager.archive(other.id, ALPHA);
      const own = present(bundles.get(mine.archiveRef));
      for (const [bundle, reason] of [
        [present(bundles.get(archiveRef)), 'corrupt'],
        [{ ...own, subSessionId: other.id }, 'corrupt'],
        [{ ...own, tenantId: BETA }, 'missing'],
        [undefined, 'corrupt'],
      ] as const) {
        backend.restore = async () => bundle as ArchiveInput;
        const error = await rejectionOf(manager.restore(edge.id, ALPHA), ArchiveNotFoundError);
        expect(error.details).toStrictEqual({ archiveRef: mine.archiveRef, reason });
        expect((await store.getSubSession(edge.id, ALPHA))?.status).toBe('archived');
      }
    });
  });

  it('is restored by no edge past the methods either', async () => {
    const { store, backend, manager, world, parent, edge } = await archiveWorld();
    const other = await world.edge(parent, await world.session());
    await world.change(other, { status: 'idle' });
    const { archiveRef } = await manager.archive(other.id, ALPHA);
    await manager.archive(edge.id, ALPHA);
    const archived = present(await store.getSubSession(edge.id, ALPHA));
    await store.updateSubSession({ ...archived, archiveRef }, ALPHA);
    class Sub extends DiskArchiveBackend {}
    const { rootDir } = (backend as unknown as { place: () => { rootDir: string } }).place();
    for (const one of [manager, managerOf(store, new Sub({ rootDir }))]) {
      const error = await rejectionOf(one.restore(edge.id, ALPHA), ArchiveNotFoundError);
      expect(error.details).toStrictEqual({ archiveRef, reason: 'corrupt' });
    }
  });
});
