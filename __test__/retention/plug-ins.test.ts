import type {
  ArchiveBackend,
  ArchiveBackendRef,
  ArchiveInput,
  ArchiveOutput,
  CustomBackendMeta,
  SessionStore,
  WorkspaceBackendDriver,
  WorkspaceRef,
} from 'namzu-native';
import {
  ArchiveNotFoundError,
  DiskArchiveBackend,
  InvalidArgumentError,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { said } from '../extensions/stores.js';
import { rejectionOf } from '../support/rejection.js';
import { ALPHA, BETA, present } from '../support/world.js';
import { archiveWorld, describeStores, diskBackend, managerOf } from './archive-world.js';

/** A backend as an application would write it; it needs its own `this`. */
class MapBackend implements ArchiveBackend {
  readonly kind = 'map';
  readonly #bundles = new Map<ArchiveBackendRef, ArchiveInput>();
  async store(input: ArchiveInput): Promise<ArchiveOutput> {
    const archiveRef = `arc_${this.#bundles.size}` as const;
    this.#bundles.set(archiveRef, structuredClone(input));
    return { archiveRef, archivedAt: new Date(1_700_000_000_000) };
  }
  async restore(archiveRef: ArchiveBackendRef): Promise<ArchiveInput> {
    return present(this.#bundles.get(archiveRef));
  }
}

describe('a backend of the application', () => {
  describeStores((make) => {
    it('is given everything, and its answer is what counts', async () => {
      const backend = new MapBackend();
      const spy = vi.spyOn(backend, 'store');
      const { store, manager, edge, child } = await archiveWorld(make, () => backend);
      const tombstone = await manager.archive(edge.id, ALPHA);
      expect(tombstone.archiveRef).toBe('arc_0');
      expect(tombstone.archivedAt).toStrictEqual(new Date(1_700_000_000_000));
      expect(spy.mock.calls).toStrictEqual([
        [
          {
            subSessionId: edge.id,
            sessionId: child.id,
            tenantId: ALPHA,
            summaryRef: await store.getSummary(child.id, ALPHA),
            messages: await store.loadSessionMessages(child.id, ALPHA),
          },
        ],
      ]);
      expect(await store.getSubSession(edge.id, ALPHA)).toMatchObject({
        status: 'archived',
        ...{ archiveRef: tombstone.archiveRef, archivedAt: tombstone.archivedAt },
      });
      await manager.restore(edge.id, ALPHA);
      expect((await store.getSubSession(edge.id, ALPHA))?.status).toBe('idle');
    });

    it('keeps what is evicted', async () => {
      const { store, manager, edge, child } = await archiveWorld(make, () => new MapBackend());
      const before = await store.loadSessionMessages(child.id, ALPHA);
      const summary = await store.getSummary(child.id, ALPHA);
      await manager.archive(edge.id, ALPHA, { evict: true });
      expect(await store.loadMessages(child.id, ALPHA)).toStrictEqual([]);
      await manager.restore(edge.id, ALPHA);
      expect(await store.loadSessionMessages(child.id, ALPHA)).toStrictEqual(before);
      expect(await store.getSummary(child.id, ALPHA)).toStrictEqual(summary);
    });

    it('is refused what is another tenant’s or session’s, which could not be read', async () => {
      const backend = new MapBackend();
      const { store, manager, edge, child } = await archiveWorld(make, () => backend);
      const before = await store.loadSessionMessages(child.id, ALPHA);
      const { archiveRef } = await manager.archive(edge.id, ALPHA, { evict: true });
      const bundle = await backend.restore(archiveRef);
      const summary = present(bundle.summaryRef);
      const others: Partial<ArchiveInput>[] = [
        { summaryRef: { ...summary, tenantId: BETA } },
        { summaryRef: { ...summary, sessionRef: 'ses_another' } },
        { messages: bundle.messages.map((message) => ({ ...message, tenantId: BETA })) },
      ];
      for (const other of others) {
        vi.spyOn(backend, 'restore').mockResolvedValueOnce({ ...bundle, ...other });
        const restored = manager.restore(edge.id, ALPHA);
        const error = await rejectionOf(restored, ArchiveNotFoundError);
        expect(error.details).toStrictEqual({ archiveRef, reason: 'corrupt' });
        expect((await store.getSubSession(edge.id, ALPHA))?.status).toBe('archived');
      }
      await manager.restore(edge.id, ALPHA);
      expect(await store.loadSessionMessages(child.id, ALPHA)).toStrictEqual(before);
      expect(await store.getSummary(child.id, ALPHA)).toStrictEqual(summary);
    });

    it('starts over when messages are appended while it works', async () => {
      const backend = new MapBackend();
      const { store, manager, edge, child } = await archiveWorld(make, () => backend);
      const original = backend.store.bind(backend);
      vi.spyOn(backend, 'store').mockImplementationOnce(async (input) => {
        await store.appendMessage(child.id, said('late'), ALPHA);
        return original(input);
      });
      await manager.archive(edge.id, ALPHA, { evict: true });
      expect(backend.store).toHaveBeenCalledTimes(2);
      await manager.restore(edge.id, ALPHA);
      expect((await store.loadMessages(child.id, ALPHA)).at(-1)).toStrictEqual(said('late'));
    });

    it.each([new RangeError('full'), 'text', undefined, Object.freeze({ odd: 1 })])(
      'throws the very thing: %s',
      async (thrown) => {
        const backend = new MapBackend();
        const { store, manager, edge, tombstones } = await archiveWorld(make, () => backend);
        vi.spyOn(backend, 'store').mockRejectedValueOnce(thrown);
        const caught = await manager.archive(edge.id, ALPHA).then(
          () => expect.unreachable(),
          (error: unknown) => error,
        );
        expect(caught).toBe(thrown);
        expect(await store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
        expect(tombstones).toStrictEqual([]);
        await manager.archive(edge.id, ALPHA);
        vi.spyOn(backend, 'restore').mockImplementationOnce(() => {
          throw thrown;
        });
        const again = await manager.restore(edge.id, ALPHA).catch((error: unknown) => error);
        expect(again).toBe(thrown);
        expect((await store.getSubSession(edge.id, ALPHA))?.status).toBe('archived');
      },
    );
  });
});

describe('a disk backend that was changed', () => {
  it('is called: spied on, subclassed, assigned to, behind a proxy', async () => {
    class Counting extends DiskArchiveBackend {
      calls = 0;
      override store(input: ArchiveInput) {
        this.calls += 1;
        return super.store(input);
      }
    }
    const { root, store, edge, child } = await archiveWorld();
    const counting = new Counting({ rootDir: root });
    const spied = diskBackend(root);
    const spy = vi.spyOn(spied, 'store');
    const failing = Object.assign(diskBackend(root), {
      store: async () => {
        throw new RangeError('full');
      },
    });
    const seen: PropertyKey[] = [];
    const proxy = new Proxy(diskBackend(root), {
      get(target, key, receiver) {
        seen.push(key);
        return Reflect.get(target, key, receiver);
      },
    });
    await expect(managerOf(store, failing).archive(edge.id, ALPHA)).rejects.toThrow('full');
    for (const backend of [counting, spied, proxy]) {
      const manager = managerOf(store, backend);
      const { archiveRef } = await manager.archive(edge.id, ALPHA, { evict: true });
      expect((await diskBackend(root).restore(archiveRef)).messages).toHaveLength(5);
      await manager.restore(edge.id, ALPHA);
      expect(await store.countMessages(child.id, ALPHA)).toBe(5);
    }
    expect(counting.calls).toBe(1);
    expect(spy).toHaveBeenCalledTimes(1);
    expect(seen).toContain('store');
  });
});

describe('a store of the application', () => {
  /** A store of which only the methods that archiving needs are there. */
  function wrapped(store: SessionStore) {
    return {
      getSubSession: vi.fn((...args: Parameters<SessionStore['getSubSession']>) =>
        store.getSubSession(...args),
      ),
      updateSubSession: vi.fn((...args: Parameters<SessionStore['updateSubSession']>) =>
        store.updateSubSession(...args),
      ),
      loadSessionMessages: vi.fn((...args: Parameters<SessionStore['loadSessionMessages']>) =>
        store.loadSessionMessages(...args),
      ),
      getSummary: vi.fn((...args: Parameters<SessionStore['getSummary']>) =>
        store.getSummary(...args),
      ),
    };
  }

  it('is asked for everything, by its public methods', async () => {
    const { store, backend, edge, child } = await archiveWorld();
    const mine = wrapped(store);
    const manager = managerOf(mine as never, backend);
    await manager.archive(edge.id, ALPHA);
    expect(mine.loadSessionMessages.mock.calls).toStrictEqual([[child.id, ALPHA]]);
    expect(mine.getSummary.mock.calls).toStrictEqual([[child.id, ALPHA]]);
    expect(mine.updateSubSession).toHaveBeenCalledTimes(1);
    await manager.restore(edge.id, ALPHA);
    expect(await store.getSubSession(edge.id, ALPHA)).toMatchObject({ status: 'idle' });
    await rejectionOf(manager.archive(edge.id, ALPHA, { evict: true }), InvalidArgumentError);
  });

  it('that fails to mark the edge leaves no bundle', async () => {
    const { store, backend, edge } = await archiveWorld();
    const failure = new RangeError('no');
    const spy = vi.spyOn(store, 'updateSubSession').mockRejectedValueOnce(failure);
    const manager = managerOf(store, backend);
    expect(await manager.archive(edge.id, ALPHA).catch((error: unknown) => error)).toBe(failure);
    expect(await (backend as DiskArchiveBackend).verify()).toStrictEqual([]);
    await manager.archive(edge.id, ALPHA);
    expect(spy).toHaveBeenCalledTimes(2);
    expect(await (backend as DiskArchiveBackend).verify()).toHaveLength(1);
  });
});

describe('workspaces', () => {
  it('are resolved, kept in the bundle and disposed of', async () => {
    const { store, backend, world, edge } = await archiveWorld();
    await world.change(edge, { workspaceId: 'wsp_a' });
    const workspace: WorkspaceRef<CustomBackendMeta> = {
      id: 'wsp_a',
      meta: { backend: 'shared', where: 'x' },
      createdAt: new Date('2026-01-02T03:04:05.678Z'),
    };
    const dispose = vi.fn(async () => {
      throw new Error('ignored');
    });
    const workspaceRegistry = new WorkspaceBackendRegistry();
    workspaceRegistry.register({ kind: 'shared', dispose } as never as WorkspaceBackendDriver);
    const workspaceResolver = vi.fn(async () => workspace);
    const more = { workspaceRegistry, workspaceResolver };
    const { archiveRef } = await managerOf(store, backend, more).archive(edge.id, ALPHA);
    expect(workspaceResolver.mock.calls).toStrictEqual([['wsp_a', ALPHA]]);
    expect(dispose.mock.calls).toStrictEqual([[workspace]]);
    expect((await backend.restore(archiveRef)).workspace).toStrictEqual(workspace);
  });

  it('are left alone when nobody resolves them or they are gone', async () => {
    for (const workspaceResolver of [undefined, async () => null]) {
      const { store, backend, world, edge } = await archiveWorld();
      await world.change(edge, { workspaceId: 'wsp_a' });
      const more = workspaceResolver === undefined ? {} : { workspaceResolver };
      const { archiveRef } = await managerOf(store, backend, more).archive(edge.id, ALPHA);
      expect(await backend.restore(archiveRef)).not.toHaveProperty('workspace');
    }
  });
});

describe('bundles', () => {
  it('are made by hand, for any application', async () => {
    const { backend } = await archiveWorld();
    const at = new Date('2026-01-02T03:04:05.678Z');
    const input: ArchiveInput = {
      subSessionId: 'sub_a',
      sessionId: 'ses_a',
      tenantId: 'tnt_ ☂',
      messages: ['a', 'b'].map((text) => ({
        id: `msg_${text}`,
        sessionId: 'ses_a',
        tenantId: 'tnt_ ☂',
        message: { ...said(`\ud800 ${text}\n\0`), odd: { nested: [1] } },
        at,
      })),
    };
    const { archiveRef } = await backend.store(input);
    expect(await backend.restore(archiveRef)).toStrictEqual(input);
    const { archiveRef: empty } = await backend.store({ ...input, messages: [] });
    expect(await backend.restore(empty)).toStrictEqual({ ...input, messages: [] });
    await rejectionOf(backend.store(undefined as never), InvalidArgumentError);
    await rejectionOf(backend.store({ ...input, messages: 7 } as never), InvalidArgumentError);
    await rejectionOf(backend.restore(7 as never), InvalidArgumentError);
    expect(() => new DiskArchiveBackend({ rootDir: 7 } as never)).toThrow(InvalidArgumentError);
    await rejectionOf(backend.restore('arc_gone'), ArchiveNotFoundError);
  });
});
