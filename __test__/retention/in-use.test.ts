import type {
  ArchiveBackend,
  SessionStatus,
  WorkspaceKeepReason,
  WorkspaceRef,
} from 'namzu-native';
import {
  InvalidArgumentError,
  SubSessionNotArchivableError,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { said } from '../extensions/stores.js';
import { rejectionOf } from '../support/rejection.js';
import { ALPHA, present } from '../support/world.js';
import { type ArchiveWorld, archiveWorld, describeStores, managerOf } from './archive-world.js';

const ALL = { maxSubSessionsPerProject: 0 } as const;
const USED: readonly SessionStatus[] = ['active', 'locked', 'awaiting_hitl', 'awaiting_merge'];

/** The store itself, and behind a proxy. */
const both = ({ store, backend }: ArchiveWorld) =>
  [store, new Proxy(store, {})].map((one) => managerOf(one, backend));

describe('a session in use', () => {
  describeStores((make) => {
    it.each(USED)('that is %s is kept by a sweep, and never evicted', async (status) => {
      const made = await archiveWorld(make);
      const { store, world, child, edge } = made;
      await store.updateSession({ ...child, status }, ALPHA);
      for (const manager of both(made)) {
        for (const policy of [ALL, { idleSubSessionTTL: 0 }]) {
          const now = new Date(Date.now() + 60_000);
          const swept = await manager.sweep(world.project.id, ALPHA, { policy, now, evict: true });
          expect(swept).toStrictEqual({ archived: [], failed: [], kept: 1 });
        }
        const evicted = manager.archive(edge.id, ALPHA, { evict: true });
        const error = await rejectionOf(evicted, SubSessionNotArchivableError);
        expect(error.details).toStrictEqual({ subSessionId: edge.id, reason: 'not_idle' });
        // A copy takes nothing away.
        await manager.archive(edge.id, ALPHA);
        await manager.restore(edge.id, ALPHA);
      }
    });

    it('is kept while its log or its record was changed within the time', async () => {
      const made = await archiveWorld(make);
      const { store, world, child, edge } = made;
      const policy = { idleSubSessionTTL: 10_000 };
      const old = present(await store.getSubSession(edge.id, ALPHA)).updatedAt.getTime();
      const sweepAt = (manager: ReturnType<typeof managerOf>, time: number) =>
        manager.sweep(world.project.id, ALPHA, { policy, now: new Date(time), dryRun: true });
      for (const change of [
        () => store.appendMessage(child.id, said('late'), ALPHA),
        () => store.replaceMessages(child.id, [said('later')], ALPHA),
        () => store.updateSession(child, ALPHA),
      ]) {
        while (Date.now() <= old + 5) await new Promise(setImmediate);
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 });
        await change();
        const changed = Date.now();
        vi.useRealTimers();
        for (const manager of both(made)) {
          expect(await sweepAt(manager, changed + 10_000)).toMatchObject({ archived: [], kept: 1 });
          expect((await sweepAt(manager, changed + 10_001)).archived).toHaveLength(1);
        }
      }
    });
  });
});

describe('a session that is used after a sweep found it idle', () => {
  const uses = {
    'by a message': ({ store, child }: ArchiveWorld) =>
      store.appendMessage(child.id, said('late'), ALPHA),
    'by a change of its record': ({ store, child }: ArchiveWorld) =>
      store.updateSession(child, ALPHA),
    'by a change of its edge': ({ store, edge }: ArchiveWorld) =>
      store.updateSubSession(edge, ALPHA),
    'as it becomes active': ({ store, child }: ArchiveWorld) =>
      store.updateSession({ ...child, status: 'active' }, ALPHA),
  };
  /** Does something once, while a bundle is being made. */
  const meanwhile = (made: ArchiveWorld, use: () => Promise<unknown>): ArchiveBackend => {
    let used = false;
    return {
      kind: 'custom',
      async store(input) {
        const answer = await made.backend.store(input);
        if (!used) await use();
        used = true;
        return answer;
      },
      restore: (archiveRef) => made.backend.restore(archiveRef),
    };
  };

  describeStores((make) => {
    it.each(Object.entries(uses))('%s is kept', async (_, use) => {
      for (const evict of [false, true]) {
        for (const wrap of [false, true]) {
          const made = await archiveWorld(make);
          const { store, world, child, edge } = made;
          const backend = meanwhile(made, async () => {
            const last = present(await store.getSubSession(edge.id, ALPHA)).updatedAt.getTime();
            while (Date.now() <= last + 2) await new Promise(setImmediate);
            await use(made);
          });
          const manager = managerOf(wrap ? new Proxy(store, {}) : store, backend);
          const progress: unknown[] = [];
          const swept = await manager.sweep(world.project.id, ALPHA, {
            ...{ policy: ALL, evict },
            onProgress: (step) => progress.push(step),
          });
          expect(swept).toStrictEqual({ archived: [], failed: [], kept: 1 });
          expect(progress).toStrictEqual([{ done: 1, total: 1, subSessionId: edge.id }]);
          expect(await store.getSubSession(edge.id, ALPHA)).toMatchObject({ status: 'idle' });
          const late = use === uses['by a message'] ? 1 : 0;
          expect(await store.countMessages(child.id, ALPHA)).toBe(5 + late);
        }
      }
    });

    it('is kept when it is used before its turn', async () => {
      for (const wrap of [false, true]) {
        const made = await archiveWorld(make);
        const { store, world, parent, edge } = made;
        const pass = (time: Date) => {
          while (Date.now() <= time.getTime());
        };
        pass(edge.updatedAt);
        const other = await world.session();
        const idle = await world.edge(parent, other);
        const { updatedAt } = await world.change(idle, { status: 'idle' });
        const manager = managerOf(wrap ? new Proxy(store, {}) : store, made.backend);
        const uses: Promise<unknown>[] = [];
        const swept = await manager.sweep(world.project.id, ALPHA, {
          policy: ALL,
          evict: true,
          onProgress: ({ done }) => {
            pass(updatedAt);
            if (done === 1) uses.push(store.appendMessage(other.id, said('late'), ALPHA));
          },
        });
        await Promise.all(uses);
        expect(swept.archived.map(({ subSessionId }) => subSessionId)).toStrictEqual([edge.id]);
        expect([swept.failed, swept.kept]).toStrictEqual([[], 1]);
        expect(await store.loadMessages(other.id, ALPHA)).toMatchObject([{ content: 'late' }]);
      }
    });

    it('is kept when it is used while its workspace is looked for', async () => {
      const { store, backend, world, child, edge } = await archiveWorld(make);
      const { updatedAt } = await world.change(edge, { workspaceId: 'wsp_a' });
      const workspaceResolver = async () => {
        while (Date.now() <= updatedAt.getTime()) await new Promise(setImmediate);
        await store.appendMessage(child.id, said('late'), ALPHA);
        return null;
      };
      const manager = managerOf(store, backend, { workspaceResolver });
      const swept = await manager.sweep(world.project.id, ALPHA, { policy: ALL, evict: true });
      expect(swept).toStrictEqual({ archived: [], failed: [], kept: 1 });
      expect(await store.countMessages(child.id, ALPHA)).toBe(6);
    });

    it('can be told of to `archive` too', async () => {
      const made = await archiveWorld(make);
      const { store, child, edge } = made;
      const { updatedAt } = present(await store.getSubSession(edge.id, ALPHA));
      while (Date.now() <= updatedAt.getTime()) await new Promise(setImmediate);
      await store.appendMessage(child.id, said('late'), ALPHA);
      for (const manager of both(made)) {
        const late = manager.archive(edge.id, ALPHA, { idleSince: updatedAt });
        const { details } = await rejectionOf(late, SubSessionNotArchivableError);
        expect(details).toStrictEqual({ subSessionId: edge.id, reason: 'not_idle' });
        await manager.archive(edge.id, ALPHA, { idleSince: new Date() });
        await manager.restore(edge.id, ALPHA);
        for (const idleSince of [new Date(Number.NaN), 7, 'now', null]) {
          const bad = manager.archive(edge.id, ALPHA, { idleSince } as never);
          await rejectionOf(bad, InvalidArgumentError);
        }
      }
    });
  });
});

describe('the workspace of what is archived', () => {
  const meta = { backend: 'shared' };
  const ref = { id: 'wsp_a', meta, createdAt: new Date(0) } as unknown as WorkspaceRef;

  function registryOf(driver: object) {
    const workspaceRegistry = new WorkspaceBackendRegistry();
    workspaceRegistry.register({ kind: 'shared', ...driver } as never);
    return { workspaceRegistry, workspaceResolver: async () => ref };
  }

  describeStores((make) => {
    it.each<[string, object, WorkspaceKeepReason | null]>([
      ['dirty', { inspect: async () => ({ exists: true, isDirty: true }) }, 'uncommitted'],
      ['clean', { inspect: async () => ({ exists: true, isDirty: false }) }, null],
      ['locked', { keepReason: async () => 'locked' }, 'locked'],
      ['unreachable', { keepReason: async () => 'unreachable' }, 'unreachable'],
      ['free', { keepReason: async () => null }, null],
      [
        'not to be seen',
        { keepReason: async () => Promise.reject(new Error('no')) },
        'uncommitted',
      ],
    ])('is kept where work would be lost: %s', async (_, driver, why) => {
      const { store, backend, world, edge } = await archiveWorld(make);
      await world.change(edge, { workspaceId: 'wsp_a' });
      const dispose = vi.fn(async () => undefined);
      const manager = managerOf(store, backend, registryOf({ ...driver, dispose }));
      const tombstone = await manager.archive(edge.id, ALPHA);
      const kept = why === null ? {} : { keptWorkspaces: [{ ref, why }] };
      expect('keptWorkspaces' in tombstone).toBe(why !== null);
      expect(tombstone).toMatchObject(kept);
      expect(dispose).toHaveBeenCalledTimes(why === null ? 1 : 0);
      await manager.restore(edge.id, ALPHA);
      dispose.mockClear();
      const swept = await manager.sweep(world.project.id, ALPHA, { policy: ALL });
      expect(swept.archived).toHaveLength(1);
      expect(swept.keptWorkspaces).toStrictEqual(why === null ? undefined : kept.keptWorkspaces);
      await manager.restore(edge.id, ALPHA);
      dispose.mockClear();
      const discarded = await manager.sweep(world.project.id, ALPHA, {
        ...{ policy: ALL, discardWorkspaces: true },
      });
      expect(discarded).not.toHaveProperty('keptWorkspaces');
      expect(dispose).toHaveBeenCalledTimes(1);
    });

    it('is named no more by what is restored once it is gone', async () => {
      const { store, backend, world, child, edge } = await archiveWorld(make);
      for (const [resolved, exists] of [
        [null, true],
        [ref, false],
        [ref, true],
      ] as const) {
        for (const one of [store, new Proxy(store, {})]) {
          await world.change(edge, { workspaceId: 'wsp_a' });
          const session = present(await store.getSession(child.id, ALPHA));
          await store.updateSession({ ...session, workspaceId: 'wsp_a' }, ALPHA);
          const driver = { inspect: async () => ({ exists }), dispose: async () => undefined };
          const manager = managerOf(one, backend, {
            ...registryOf(driver),
            workspaceResolver: async () => resolved,
          });
          await manager.archive(edge.id, ALPHA);
          await manager.restore(edge.id, ALPHA);
          const left = exists && resolved !== null ? 'wsp_a' : null;
          expect((await store.getSubSession(edge.id, ALPHA))?.workspaceId).toBe(left);
          expect((await store.getSession(child.id, ALPHA))?.workspaceId).toBe(left);
        }
      }
    });
  });
});
