import { once } from 'node:events';
import type { ArchivalManager, ArchiveBackend, SubSessionTombstone } from 'namzu-native';
import { InvalidArgumentError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejection, rejectionOf } from '../support/rejection.js';
import { ALPHA, present } from '../support/world.js';
import { archiveWorld, describeStores, diskBackend, managerOf } from './archive-world.js';

const DUE = { policy: { maxSubSessionsPerProject: 0 } } as const;

describe('listeners that fail', () => {
  const failures = {
    'by throwing': () => {
      throw new RangeError('listener');
    },
    'by rejecting': async () => {
      throw new RangeError('listener');
    },
  };
  describeStores((make) => {
    it.each(Object.entries(failures))('%s are told, and are in no way', async (_, fail) => {
      const { store, backend, world, edge } = await archiveWorld(make);
      const manager = managerOf(store, backend, { onArchived: fail, onRestored: fail });
      const warned = async (work: Promise<unknown>) => {
        const [warning] = await Promise.all([once(process, 'warning'), work]);
        expect(warning[0]).toMatchObject({ name: 'ArchivalListenerWarning' });
        expect(warning[0].detail).toContain('listener');
      };
      await warned(manager.archive(edge.id, ALPHA));
      await warned(manager.restore(edge.id, ALPHA));
      await warned(
        manager.sweep(world.project.id, ALPHA, DUE).then(({ archived, failed }) => {
          expect(archived.map(({ subSessionId }) => subSessionId)).toStrictEqual([edge.id]);
          expect(failed).toStrictEqual([]);
        }),
      );
      await manager.restore(edge.id, ALPHA);
      const onProgress = async () => {
        throw new RangeError('listener');
      };
      await warned(manager.sweep(world.project.id, ALPHA, { ...DUE, onProgress }));
    });

    it('may ask for the same sub-session again', async () => {
      const { store, backend, edge } = await archiveWorld(make);
      let restored: Promise<void> = Promise.reject(new Error('the listener was not called'));
      restored.catch(() => undefined);
      const onArchived = ({ subSessionId }: SubSessionTombstone) => {
        restored = manager.restore(subSessionId, ALPHA);
      };
      const manager: ArchivalManager = managerOf(store, backend, { onArchived });
      await manager.archive(edge.id, ALPHA);
      await restored;
      expect((await store.getSubSession(edge.id, ALPHA))?.status).toBe('idle');
    });
  });
});

describe('what is called while a sub-session is archived', () => {
  it('is told when it asks for the same again, and does not wait for itself', async () => {
    const { root, store, world, edge } = await archiveWorld();
    await world.change(edge, { workspaceId: 'wsp_a' });
    let inner: Promise<unknown> = Promise.resolve();
    const workspaceResolver = async () => {
      inner = rejection(manager.restore(edge.id, ALPHA));
      await inner;
      return null;
    };
    const manager: ArchivalManager = managerOf(store, diskBackend(root), { workspaceResolver });
    await manager.archive(edge.id, ALPHA);
    expect(((await inner) as Error).message).toContain('would wait for itself');
    const backend: ArchiveBackend = {
      kind: 'again',
      store: async () => present(await again.archive(edge.id, ALPHA)),
      restore: async () => expect.unreachable(),
    };
    const again: ArchivalManager = managerOf(store, backend);
    await managerOf(store, diskBackend(root)).restore(edge.id, ALPHA);
    expect((await rejection(again.archive(edge.id, ALPHA))).message).toContain(
      'would wait for itself',
    );
    expect((await store.getSubSession(edge.id, ALPHA))?.status).toBe('idle');
  });
});

describe('a sweep', () => {
  describeStores((make) => {
    it('of a project that does not exist is refused, with a policy as without', async () => {
      const { manager } = await archiveWorld(make);
      for (const options of [undefined, DUE, { ...DUE, dryRun: true }]) {
        const missing = await rejection(manager.sweep('prj_missing', ALPHA, options));
        expect(missing.message).toContain('not found');
      }
    });

    it.each([
      { policy: { idleSubSessionTTL: Number.NaN } },
      { policy: { idleSubSessionTTL: '1' } },
      { policy: { idleSubSessionTTL: null } },
      { policy: { maxSubSessionsPerProject: null } },
      { policy: null },
      { policy: 5 },
      { policy: 'x' },
      { now: '2030-01-01' },
      { now: 5 },
      { now: () => 5 },
      { evict: 1 },
      { dryRun: 'yes' },
      { discardWorkspaces: null },
    ])('refuses %o', async (options) => {
      const { manager, world } = await archiveWorld(make);
      const sweep = manager.sweep(world.project.id, ALPHA, options as never);
      await rejectionOf(sweep, InvalidArgumentError);
    });

    it('takes a time without end for never', async () => {
      const { manager, world } = await archiveWorld(make);
      const policy = { idleSubSessionTTL: Number.POSITIVE_INFINITY };
      expect(await manager.sweep(world.project.id, ALPHA, { policy })).toMatchObject({ kept: 1 });
    });
  });

  it('refuses odd options of archiving', async () => {
    const { manager, edge } = await archiveWorld();
    for (const options of [{ evict: 'yes' }, { discardWorkspaces: 1 }]) {
      await rejectionOf(manager.archive(edge.id, ALPHA, options as never), InvalidArgumentError);
    }
  });
});
