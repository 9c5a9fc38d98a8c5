/** What wraps a store may hold a call up, show something else, or be asked from within. */

import type { ArchiveBackend, ExtendedSessionStore, WorkspaceRef } from 'namzu-native';
import { InvalidArgumentError, TenantIsolationError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { ALPHA, BETA, present } from '../support/world.js';
import { archiveWorld, describeStores, managerOf } from './archive-world.js';

/** A store whose methods of these names are these. */
function wrap(store: ExtendedSessionStore, methods: object): ExtendedSessionStore {
  return new Proxy(store, {
    get: (target, name) => Reflect.get(name in methods ? methods : target, name),
  });
}

/** A promise, and what resolves it. */
function gate(): { passed: Promise<void>; pass: () => void } {
  let pass = () => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { passed, pass };
}

describe('a wrapped store', () => {
  describeStores((make) => {
    it('does an update of another caller as that caller’s, while a restore waits', async () => {
      const { store, backend, edge } = await archiveWorld(make);
      const [entered, open] = [gate(), gate()];
      const slow = wrap(store, {
        updateSubSession: async (...args: Parameters<typeof store.updateSubSession>) => {
          entered.pass();
          await open.passed;
          return store.updateSubSession(...args);
        },
      });
      await managerOf(store, backend).archive(edge.id, ALPHA);
      const restored = managerOf(slow, backend).restore(edge.id, ALPHA);
      await entered.passed;
      const archived = present(await store.getSubSession(edge.id, ALPHA));
      const { archiveRef: _, archivedAt: __, ...rest } = archived;
      const foreign = store.updateSubSession({ ...rest, status: 'failed' }, BETA);
      await rejectionOf(foreign, TenantIsolationError);
      expect(await store.getSubSession(edge.id, ALPHA)).toStrictEqual(archived);
      open.pass();
      await restored;
      expect(present(await store.getSubSession(edge.id, ALPHA)).status).toBe('idle');
    });

    it('marks what is archived though its calls are made from elsewhere', async () => {
      const { store, backend, edge, child } = await archiveWorld(make);
      const queue: (() => void)[] = [];
      const pump = setInterval(() => queue.shift()?.(), 1);
      const queued = wrap(store, {
        updateSubSession: (...args: Parameters<typeof store.updateSubSession>) =>
          new Promise<void>((resolve, reject) => {
            queue.push(() => store.updateSubSession(...args).then(resolve, reject));
          }),
      });
      try {
        const manager = managerOf(queued, backend);
        const { archiveRef } = await manager.archive(edge.id, ALPHA, { evict: true });
        expect(await store.getSubSession(edge.id, ALPHA)).toMatchObject({ archiveRef });
        await manager.restore(edge.id, ALPHA);
        expect(await store.loadMessages(child.id, ALPHA)).toHaveLength(5);
      } finally {
        clearInterval(pump);
      }
    });

    it('evicts nothing of which it shows another summary', async () => {
      const { store, backend, edge, child } = await archiveWorld(make);
      const summary = await store.getSummary(child.id, ALPHA);
      for (const shown of [null, { ...present(summary), agentSummary: '[redacted]' }]) {
        const manager = managerOf(wrap(store, { getSummary: async () => shown }), backend);
        const evicted = manager.archive(edge.id, ALPHA, { evict: true });
        expect((await rejectionOf(evicted, InvalidArgumentError)).message).toContain('getSummary');
        expect(present(await store.getSubSession(edge.id, ALPHA)).status).toBe('idle');
        expect(await store.getSummary(child.id, ALPHA)).toStrictEqual(summary);
      }
    });
  });
});

it('archives that call each other are told so, and wait for neither', async () => {
  const { store, backend, world, parent, edge } = await archiveWorld();
  const other = await world.change(await world.edge(parent, await world.session()), {
    status: 'idle',
  });
  const both = new Map([
    [edge.id, other.id],
    [other.id, edge.id],
  ]);
  const met = gate();
  let stores = 0;
  const told: unknown[] = [];
  const entangled: ArchiveBackend = {
    kind: 'entangled',
    restore: (ref) => backend.restore(ref),
    store: async (input) => {
      stores += 1;
      if (stores === 2) met.pass();
      await met.passed;
      const next = present(both.get(input.subSessionId));
      await manager.archive(next, ALPHA).catch((error: unknown) => told.push(error));
      return backend.store(input);
    },
  };
  const manager = managerOf(new Proxy(store, {}), entangled);
  await Promise.allSettled([manager.archive(edge.id, ALPHA), manager.archive(other.id, ALPHA)]);
  expect(told.some((error) => String(error).includes('would wait for itself'))).toBe(true);
  for (const { id } of [edge, other]) {
    expect(present(await store.getSubSession(id, ALPHA)).status).toBe('archived');
  }
});

it('a progress report that throws ends no sweep', async () => {
  const { manager, world } = await archiveWorld();
  const swept = await manager.sweep(world.project.id, ALPHA, {
    policy: { maxSubSessionsPerProject: 0 },
    onProgress: () => {
      throw new Error('a report’s own');
    },
  });
  expect(swept.archived).toHaveLength(1);
});

it.each([
  ['a BigInt', () => ({ size: 10n })],
  [
    'a circle',
    () => {
      const meta: Record<string, unknown> = {};
      return Object.assign(meta, { again: meta });
    },
  ],
])('a workspace with %s is refused before anything is archived', async (_, metaOf) => {
  const { store, backend, edge, world } = await archiveWorld();
  const workspaceId = 'wsp_1' as const;
  await world.change(edge, { workspaceId });
  const ref = { id: workspaceId, meta: metaOf() };
  const workspaceResolver = async () => ref as unknown as WorkspaceRef;
  const manager = managerOf(store, backend, { workspaceResolver });
  const error = await rejectionOf(manager.archive(edge.id, ALPHA), InvalidArgumentError);
  expect(error.message).toContain('workspaceResolver()');
  expect(present(await store.getSubSession(edge.id, ALPHA)).status).toBe('idle');
});
