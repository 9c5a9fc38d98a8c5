/** A failure at every single call of every dependency, over every kind of store. */

import {
  executeBroadcastHandoff,
  executeSingleHandoff,
  InMemorySessionStore,
  type SessionStore,
  type SingleHandoffDeps,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import {
  broadcast,
  FakeDriver,
  makeStore,
  registryOf,
  type Scene,
  STORE_KINDS,
  scene,
  single,
} from './fixtures';

/** Counts calls, and fails the one that it is told to fail. */
class Trap {
  readonly calls: string[] = [];
  /** A plain object: whatever is thrown must come back as the very same. */
  readonly error = { boom: true };

  constructor(
    readonly fatal: number,
    readonly how: 'throw' | 'reject',
  ) {}

  wrap<T extends object>(name: string, target: T): T {
    return new Proxy(target, {
      get: (object, key) => {
        const value = Reflect.get(object, key, object);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          this.calls.push(`${name}.${String(key)}`);
          if (this.calls.length - 1 !== this.fatal) return value.apply(object, args);
          // What answers at once can only throw.
          if (this.how === 'throw' || name === 'registry') throw this.error;
          return Promise.reject(this.error);
        };
      },
    });
  }
}

/** Every dependency behind a trap; the store only when asked for. */
function trapped(s: Scene, trap: Trap, withStore: boolean): SingleHandoffDeps {
  return {
    store: withStore ? trap.wrap('store', s.store) : s.store,
    workspaceRegistry: trap.wrap('registry', registryOf(trap.wrap('driver', s.driver))),
    capacity: trap.wrap('capacity', s.deps.capacity),
    events: s.sink,
    runStatus: trap.wrap('runs', { blockingRun: async () => null }),
  };
}

/** Sessions and edges that were created through a store, to see that they are gone. */
function watchCreated(store: SessionStore) {
  const ids = { sessions: [] as string[], edges: [] as string[] };
  const watched = new Proxy(store, {
    get(object, key) {
      const value = Reflect.get(object, key, object);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        const answer = await value.apply(object, args);
        if (key === 'createSession') ids.sessions.push(answer.id);
        if (key === 'createSubSession') ids.edges.push(answer.id);
        return answer;
      };
    },
  });
  return { ids, watched };
}

const MODES = ['single', 'broadcast'] as const;
const run = (mode: (typeof MODES)[number], s: Scene, deps: SingleHandoffDeps) =>
  mode === 'single'
    ? executeSingleHandoff(deps, single(s), s.tenant)
    : executeBroadcastHandoff(deps, broadcast(s, 3), s.tenant);

/** How far a broadcast had come, from the calls that were made. */
function partialState(calls: readonly string[]) {
  const done = calls.slice(0, -1);
  const count = (name: string) => done.filter((call) => call === name).length;
  const edges = count('store.createSubSession');
  return {
    worktreesProvisioned: count('driver.create'),
    subsessionsCreated: edges,
    assignmentsWritten: edges,
  };
}

describe.each(STORE_KINDS)('a failure over a %s store', (kind) => {
  describe.each(MODES)('in a %s handoff', (mode) => {
    it.each(['throw', 'reject'] as const)('by a %s at any call leaves nothing', async (how) => {
      let committed = false;
      for (let fatal = 0; !committed; fatal++) {
        const s = await scene(makeStore(kind));
        const { ids, watched } = watchCreated(s.store);
        const trap = new Trap(fatal, how);
        const deps = trapped({ ...s, store: watched }, trap, true);
        const outcome = await run(mode, s, deps).then(
          () => 'committed',
          (error) => error,
        );
        committed = outcome === 'committed';
        if (committed) {
          expect(fatal).toBe(trap.calls.length);
          break;
        }
        const at = `call ${fatal}: ${trap.calls[fatal]}`;
        expect(outcome, at).toBe(trap.error);
        const failed = trap.calls.slice(0, fatal + 1);
        const locked = failed.slice(0, -1).includes('store.updateSession');

        const after = await s.store.getSession(s.source.id, s.tenant);
        const { updatedAt: _, ...before } = s.source;
        expect(after, at).toMatchObject(before);
        expect(s.driver.live.size, at).toBe(0);
        for (const id of ids.sessions) {
          expect(await s.store.getSession(id as never, s.tenant), at).toBeNull();
        }
        expect(await s.store.getChildren(s.source.id, s.tenant), at).toEqual([]);
        const undone = mode === 'single' ? 'unlocked' : 'rollback';
        expect(s.sink.names, at).toEqual(locked ? ['locked', undone] : []);
        if (locked && mode === 'broadcast') {
          expect(s.sink.events[1], at).toEqual({
            sessionId: s.source.id,
            broadcastId: 'brc_1',
            reason: '[object Object]',
            partialState: partialState(failed),
            at: expect.any(Date),
          });
        }
        // Once the cause is gone, the session can be handed over.
        await run(mode, s, s.deps);
      }
    });
  });
});

describe.each(['memory', 'disk'] as const)('a failure over an untouched %s store', (kind) => {
  it.each(MODES)('at any call of a %s handoff leaves nothing', async (mode) => {
    let committed = false;
    for (let fatal = 0; !committed; fatal++) {
      const s = await scene(makeStore(kind));
      const trap = new Trap(fatal, 'reject');
      const outcome = await run(mode, s, trapped(s, trap, false)).then(
        () => 'committed',
        (error) => error,
      );
      committed = outcome === 'committed';
      if (committed) break;
      expect(outcome).toBe(trap.error);
      expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({
        status: 'idle',
        ownerVersion: 0,
        currentActor: s.source.currentActor,
      });
      expect(await s.store.getChildren(s.source.id, s.tenant)).toEqual([]);
      expect(s.driver.live.size).toBe(0);
      await run(mode, s, s.deps);
    }
  });

  it('a driver that is missing is a failure like any other', async () => {
    const s = await scene(makeStore(kind));
    const deps = { ...s.deps, workspaceRegistry: new WorkspaceBackendRegistry() };
    await expect(executeSingleHandoff(deps, single(s), s.tenant)).rejects.toThrow('git-worktree');
    expect(s.sink.names).toEqual(['locked', 'unlocked']);
    expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({ status: 'idle' });
  });
});

describe('a failure while undoing', () => {
  it('never hides the first one, and stops nothing else from being undone', async () => {
    for (const mode of MODES) {
      const s = await scene(makeStore('js'));
      const first = new Error('first');
      s.store.createSubSession = async () => {
        throw first;
      };
      s.driver.dispose = async () => {
        s.driver.live.clear();
        throw new Error('second');
      };
      s.store.deleteSession = async () => {
        throw new Error('third');
      };
      await expect(run(mode, s, s.deps)).rejects.toBe(first);
      expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({ status: 'idle' });
      expect(s.sink.names).toEqual(['locked', mode === 'single' ? 'unlocked' : 'rollback']);
    }
  });

  it('that leaves the source locked is not told as an unlocking', async () => {
    const s = await scene(makeStore('js'));
    s.driver.create = async () => {
      throw new Error('driver');
    };
    const { updateSession } = s.store;
    s.store.updateSession = async (session, ...rest) => {
      if (session.status === 'idle') throw new Error('stays locked');
      return updateSession.call(s.store, session, ...rest);
    };
    await expect(executeSingleHandoff(s.deps, single(s), s.tenant)).rejects.toThrow('driver');
    expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({ status: 'locked' });
    expect(s.sink.names).toEqual(['locked']);
  });

  it.each(['memory', 'disk'] as const)(
    'of a %s source that was deleted unlocks none',
    async (kind) => {
      const s = await scene(makeStore(kind));
      s.driver.create = async () => {
        await s.store.deleteSession(s.source.id, s.tenant);
        throw new Error('driver');
      };
      await expect(executeSingleHandoff(s.deps, single(s), s.tenant)).rejects.toThrow('driver');
      expect(s.sink.names).toEqual(['locked']);
    },
  );

  it('undoes in the order of the contract', async () => {
    const orders = { single: [] as string[], broadcast: [] as string[] };
    for (const mode of MODES) {
      const s = await scene(makeStore('js'));
      const trap = new Trap(Number.POSITIVE_INFINITY, 'reject');
      const deps = trapped(s, trap, true);
      let updates = 0;
      const { updateSession } = s.store;
      s.store.updateSession = async (...args) => {
        updates += 1;
        if (updates === 2) throw new Error('no commit');
        return updateSession.apply(s.store, args);
      };
      await expect(run(mode, s, deps)).rejects.toThrow('no commit');
      const commit = trap.calls.lastIndexOf('store.createSubSession') + 1;
      orders[mode] = trap.calls.slice(commit + 1);
    }
    expect(orders.single).toEqual([
      'store.updateSession',
      'driver.dispose',
      'store.deleteSubSession',
      'store.deleteSession',
    ]);
    expect(orders.broadcast).toEqual([
      ...Array(3).fill('driver.dispose'),
      ...Array(3).fill('store.deleteSubSession'),
      ...Array(3).fill('store.deleteSession'),
      'store.updateSession',
    ]);
  });
});

describe('what is thrown', () => {
  const symbol = Symbol('s');
  const frozen = Object.freeze({ name: 'Frozen' });
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('hands off');
      },
    },
  );
  class Custom extends Error {
    readonly details = { big: 1n };
  }
  it.each([
    ['an error', new Error('x')],
    ['an error of a class of its own', new Custom('lone \ud800')],
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['a string', 'text'],
    ['a symbol', symbol],
    ['a frozen object', frozen],
    ['an object that throws when looked at', hostile],
    ['an error that looks like ours', Object.assign(new Error('y'), { namzuError: 'Error' })],
  ])('reaches the caller as it is: %s', async (_, thrown) => {
    for (const mode of MODES) {
      const s = await scene(new InMemorySessionStore());
      const driver = new FakeDriver();
      driver.create = async () => {
        throw thrown;
      };
      s.deps.workspaceRegistry = registryOf(driver);
      let caught: unknown = 'nothing';
      try {
        await run(mode, s, s.deps);
      } catch (error) {
        caught = error;
      }
      expect(Object.is(caught, thrown)).toBe(true);
    }
  });

  it('gives a rollback its reason: the message, or what String makes of it', async () => {
    for (const [thrown, reason] of [
      [new Error('the message'), 'the message'],
      ['text', 'text'],
      [undefined, 'undefined'],
      [symbol, 'Symbol(s)'],
      [new Error('lone \ud800'), 'lone \ud800'],
    ] as const) {
      const s = await scene(new InMemorySessionStore());
      s.driver.create = async () => {
        throw thrown;
      };
      await run('broadcast', s, s.deps).catch(() => {});
      expect(s.sink.events[1]).toMatchObject({ reason });
    }
  });
});
