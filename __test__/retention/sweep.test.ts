import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SubSession } from 'namzu-native';
import { InvalidArgumentError, SessionEvictedError, WorkspaceBackendRegistry } from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import type { Closable } from '../engine/calls.js';
import { sessionDir } from '../support/paths.js';
import { rejection, rejectionOf } from '../support/rejection.js';
import { ALPHA } from '../support/world.js';
import { archiveWorld, describeStores, managerOf } from './archive-world.js';

type World = Awaited<ReturnType<typeof archiveWorld>>;

/** Edges of the parent, each with a child of its own, in the order of their last change. */
async function edgesOf(made: World, statuses: readonly SubSession['status'][]) {
  const { world, parent } = made;
  const edges: SubSession[] = [];
  for (const status of statuses) {
    const edge = await world.edge(parent, await world.session());
    // Ages are whole milliseconds: no two alike.
    const { updatedAt } = edges.at(-1) ?? made.edge;
    while (Date.now() <= updatedAt.getTime()) await new Promise(setImmediate);
    edges.push(await world.change(edge, { status }));
  }
  return edges;
}

describe('a sweep', () => {
  describeStores((make) => {
    it('archives what expired, then the longest idle above the number', async () => {
      const made = await archiveWorld(make);
      const { store, manager, world, edge } = made;
      await manager.archive(edge.id, ALPHA);
      const edges = await edgesOf(made, ['idle', 'active', 'failed', 'merged', 'idle']);
      const ids = edges.map(({ id }) => id);
      const updated = edges[2]?.updatedAt as Date;
      const policy = { idleSubSessionTTL: 1000 };
      const project = world.project.id;
      const sweep = (now: Date, more = {}) =>
        manager.sweep(project, ALPHA, { policy, now: () => now, ...more });
      expect(await manager.sweep(project, ALPHA)).toStrictEqual({
        archived: [],
        failed: [],
        kept: 5,
      });
      const outlook = await sweep(new Date(updated.getTime() + 1001), { dryRun: true });
      expect(outlook.archived.map(({ subSessionId }) => subSessionId)).toStrictEqual([
        ids[0],
        ids[2],
      ]);
      expect(outlook.kept).toBe(3);
      expect((await store.getSubSession(ids[0] as never, ALPHA))?.status).toBe('idle');
      const exact = await sweep(new Date(updated.getTime() + 1000));
      expect(exact.archived.map(({ subSessionId }) => subSessionId)).toStrictEqual([ids[0]]);
      await store.updateProject(
        project,
        { retentionPolicy: { maxSubSessionsPerProject: 2 } },
        ALPHA,
      );
      const byNumber = await manager.sweep(project, ALPHA);
      expect(byNumber.archived.map(({ subSessionId }) => subSessionId)).toStrictEqual([
        ids[2],
        ids[3],
      ]);
      expect(byNumber).toMatchObject({ failed: [], kept: 2 });
      expect((await manager.sweep(project, ALPHA)).archived).toStrictEqual([]);
    });

    it('rejects with an error of this package when its store is closed meanwhile', async () => {
      const made = await archiveWorld(make);
      const { store, backend, world } = made;
      await edgesOf(made, ['idle', 'idle', 'idle']);
      let closed: Promise<void> | undefined;
      const onArchived = () => {
        closed ??= (store as unknown as Closable).close();
      };
      const manager = managerOf(store, backend, { onArchived });
      const policy = { idleSubSessionTTL: 0 };
      const now = () => new Date(Date.now() + 1000);
      const error = await rejection(manager.sweep(world.project.id, ALPHA, { policy, now }));
      expect(error).toMatchObject({ name: 'StoreClosedError' });
      await closed;
    });

    it('goes on after a failure, and says how far it is', async () => {
      const made = await archiveWorld(make);
      const { store, backend, world } = made;
      const edges = await edgesOf(made, ['idle', 'idle', 'idle']);
      const failure = new RangeError('no');
      const original = backend.store.bind(backend);
      vi.spyOn(backend, 'store').mockImplementation(async (input) => {
        if (input.subSessionId === edges[1]?.id) throw failure;
        return original(input);
      });
      const flaky = managerOf(store, backend);
      const progress: unknown[] = [];
      const result = await flaky.sweep(world.project.id, ALPHA, {
        policy: { maxSubSessionsPerProject: 0 },
        onProgress: ({ done, total }) => progress.push([done, total]),
      });
      expect(result.failed).toStrictEqual([{ subSessionId: edges[1]?.id, error: failure }]);
      expect(result.failed[0]?.error).toBe(failure);
      expect(result.archived).toHaveLength(3);
      expect(progress).toStrictEqual([
        [1, 4],
        [2, 4],
        [3, 4],
        [4, 4],
      ]);
    });

    it('stops between two sub-sessions when it is told to', async () => {
      const made = await archiveWorld(make);
      const { manager, world } = made;
      await edgesOf(made, ['idle', 'idle']);
      const policy = { maxSubSessionsPerProject: 0 };
      const options = { policy, signal: AbortSignal.abort() };
      const stopped = await manager.sweep(world.project.id, ALPHA, options);
      expect(stopped).toStrictEqual({ archived: [], failed: [], kept: 3 });
    });

    it('has archived no more than one when the first progress stops it', async () => {
      const made = await archiveWorld(make);
      const { manager, world, edge } = made;
      await edgesOf(made, ['idle', 'idle', 'idle', 'idle']);
      const controller = new AbortController();
      const { archived, failed, kept } = await manager.sweep(world.project.id, ALPHA, {
        policy: { maxSubSessionsPerProject: 0 },
        signal: controller.signal,
        onProgress: () => controller.abort(),
      });
      expect(archived.map(({ subSessionId }) => subSessionId)).toStrictEqual([edge.id]);
      expect([failed, kept]).toStrictEqual([[], 4]);
    });

    it('archives many, each for itself, and says so in turn', async () => {
      const made = await archiveWorld(make);
      const { store, backend, world, parent, child, edge } = made;
      const ids = [edge.id];
      // Older than all others, by the millisecond that ages are counted in.
      while (Date.now() <= edge.updatedAt.getTime()) await new Promise(setImmediate);
      for (let n = 0; n < 150; n += 1) {
        const next = await world.edge(parent, n === 70 ? child : await world.session());
        ids.push((await world.change(next, { status: 'idle' })).id);
      }
      const told: string[] = [];
      const manager = managerOf(store, backend, {
        onArchived: ({ subSessionId }) => told.push(subSessionId),
      });
      const progress: number[] = [];
      const [totals, untold] = [new Set<number>(), [] as string[]];
      const { archived, failed, kept } = await manager.sweep(world.project.id, ALPHA, {
        policy: { maxSubSessionsPerProject: 0 },
        evict: true,
        onProgress: ({ done, total, subSessionId }) => {
          progress.push(done);
          totals.add(total);
          if (told.at(-1) !== subSessionId) untold.push(subSessionId);
        },
      });
      // The child of that edge is evicted already.
      expect(failed).toStrictEqual([
        { subSessionId: ids[71], error: expect.any(SessionEvictedError) },
      ]);
      const others = ids.filter((id) => id !== ids[71]);
      const swept = archived.map(({ subSessionId }) => subSessionId);
      expect([...swept].sort()).toStrictEqual([...others].sort());
      expect(kept).toBe(0);
      expect([...told].sort()).toStrictEqual([...others].sort());
      expect(progress).toStrictEqual(ids.map((_, index) => index + 1));
      expect([[...totals], untold]).toStrictEqual([[ids.length], [ids[71]]]);
      for (const { subSessionId, archiveRef } of archived) {
        expect((await store.getSubSession(subSessionId, ALPHA))?.archiveRef).toBe(archiveRef);
      }
    });

    it('goes on when its progress throws, and tells about all that it archived', async () => {
      const made = await archiveWorld(make);
      const { store, backend, world } = made;
      const edges = await edgesOf(
        made,
        Array.from({ length: 60 }, () => 'idle' as const),
      );
      const told = new Set<string>();
      const manager = managerOf(store, backend, {
        onArchived: ({ subSessionId }) => told.add(subSessionId),
      });
      const swept = await manager.sweep(world.project.id, ALPHA, {
        policy: { maxSubSessionsPerProject: 0 },
        onProgress: ({ done }) => {
          if (done === 2) throw new RangeError('no');
        },
      });
      expect(swept).toMatchObject({ failed: [], kept: 0 });
      expect(swept.archived).toHaveLength(edges.length + 1);
      expect(told.size).toBe(edges.length + 1);
    });

    it('calls the method archive of a manager that was changed', async () => {
      const made = await archiveWorld(make);
      const { manager, world, edge } = made;
      const edges = await edgesOf(made, ['idle', 'idle']);
      const archive = vi.spyOn(manager, 'archive');
      const policy = { maxSubSessionsPerProject: 0 };
      await manager.sweep(world.project.id, ALPHA, { policy });
      const options = { evict: false, idleSince: expect.any(Date) };
      expect(archive.mock.calls).toStrictEqual(
        [edge, ...edges].map(({ id }) => [id, ALPHA, options]),
      );
    });

    it('resolves and disposes of the workspaces among what is due', async () => {
      const made = await archiveWorld(make);
      const { store, backend, world } = made;
      const edges = await edgesOf(made, ['idle', 'idle', 'idle']);
      for (const [n, edge] of edges.entries()) {
        if (n !== 1) await world.change(edge, { workspaceId: `wsp_${n}` });
      }
      const dispose = vi.fn(async () => undefined);
      const workspaceRegistry = new WorkspaceBackendRegistry();
      workspaceRegistry.register({ kind: 'shared', dispose } as never);
      const workspaceResolver = vi.fn(async (id: string) => ({
        id,
        meta: { backend: 'shared' },
        createdAt: new Date(0),
      }));
      const more = { workspaceRegistry, workspaceResolver } as never;
      const { archived } = await managerOf(store, backend, more).sweep(world.project.id, ALPHA, {
        policy: { maxSubSessionsPerProject: 0 },
      });
      expect(archived).toHaveLength(4);
      expect(workspaceResolver.mock.calls.map(([id]) => id).sort()).toStrictEqual([
        'wsp_0',
        'wsp_2',
      ]);
      expect(dispose).toHaveBeenCalledTimes(2);
    });

    it('evicts when it is asked to', async () => {
      const { store, manager, world, child } = await archiveWorld(make);
      const policy = { maxSubSessionsPerProject: 0 };
      await manager.sweep(world.project.id, ALPHA, { policy, evict: true });
      expect(await store.countMessages(child.id, ALPHA)).toBe(0);
    });

    it('refuses what it cannot do', async () => {
      const { store, backend, manager, world } = await archiveWorld(make);
      const missing = await rejection(manager.sweep('prj_missing', ALPHA));
      expect(missing.message).toContain('not found');
      for (const options of [
        { policy: { idleSubSessionTTL: -1 } },
        { policy: { maxSubSessionsPerProject: 1.5 } },
        { now: new Date(Number.NaN) },
        7,
      ]) {
        const sweep = manager.sweep(world.project.id, ALPHA, options as never);
        await rejectionOf(sweep, InvalidArgumentError);
      }
      const bare = { getProject: vi.fn(() => store.getProject(world.project.id, ALPHA)) };
      const sweep = managerOf(bare as never, backend).sweep(world.project.id, ALPHA);
      await rejectionOf(sweep, InvalidArgumentError);
    });
  });

  it('reads no log of what is not due', async () => {
    const made = await archiveWorld();
    const { root, manager, world, child } = made;
    const [due] = await edgesOf(made, ['idle']);
    // A log that cannot be read fails whoever reads it.
    writeFileSync(join(root, sessionDir(child), 'messages.jsonl'), 'broken\nbroken\n');
    const policy = { maxSubSessionsPerProject: 1 };
    const kept = await manager.sweep(world.project.id, ALPHA, { policy });
    expect(kept.failed.concat(kept.archived as never)).toHaveLength(1);
    expect(due).toBeDefined();
  });

  it('removes bundles that nobody finished, and no others', async () => {
    const { root, manager, world, edge } = await archiveWorld();
    const { archiveRef } = await manager.archive(edge.id, ALPHA);
    mkdirSync(join(root, 'archive', 'arc_unfinished'));
    writeFileSync(join(root, 'archive', 'arc_unfinished', 'messages.jsonl'), '');
    mkdirSync(join(root, 'archive', 'not-a-bundle'));
    await manager.sweep(world.project.id, ALPHA, { dryRun: true });
    expect(readdirSync(join(root, 'archive'))).toContain('arc_unfinished');
    await manager.sweep(world.project.id, ALPHA);
    expect(readdirSync(join(root, 'archive')).sort()).toStrictEqual([archiveRef, 'not-a-bundle']);
  });
});
