/** Dependencies of every make: spied on, replaced late, subclassed, behind a Proxy. */

import { runInNewContext } from 'node:vm';
import {
  DiskSessionStore,
  executeBroadcastHandoff,
  executeSingleHandoff,
  type HandoffEventSink,
  InMemorySessionStore,
  NOOP_HANDOFF_SINK,
  NOOP_RUN_STATUS_RESOLVER,
  type Session,
  type SessionStore,
} from 'namzu-native';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { broadcast, makeStore, registryOf, scene, single, temporaryFolder } from './fixtures';

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(['memory', 'disk'] as const)('a %s store that somebody laid hands on', (kind) => {
  const Class = (kind === 'memory' ? InMemorySessionStore : DiskSessionStore) as new (config: {
    rootDir: string;
  }) => SessionStore;
  const make = (Made = Class) => new Made({ rootDir: temporaryFolder() });

  it('is called through a spy that was set after the dependencies were put together', async () => {
    const s = await scene(make());
    const spy = vi.spyOn(s.store, 'createSession');
    const outcome = await executeSingleHandoff(s.deps, single(s), s.tenant);
    expect(spy).toHaveBeenCalledTimes(1);
    const created = (await spy.mock.results[0]?.value) as Session | undefined;
    expect(created?.id).toBe(outcome.newSessionId);
    spy.mockRestore();
    await executeSingleHandoff(s.deps, single(s, { expectedOwnerVersion: 1 }), s.tenant);
    expect(spy).toHaveBeenCalledTimes(0);
  });

  it('is called through a spy on the prototype', async () => {
    const s = await scene(make());
    const spy = vi.spyOn(Class.prototype, 'updateSession');
    await executeSingleHandoff(s.deps, single(s), s.tenant);
    expect(
      spy.mock.calls.map(([session, ...rest]) => [(session as Session).status, rest.length]),
    ).toEqual([
      ['locked', 2],
      ['idle', 1],
    ]);
    expect(spy.mock.contexts.every((context) => context === s.store)).toBe(true);
  });

  it('is called as the subclass that it is', async () => {
    class Sub extends Class {
      #updates = 0;
      override async updateSession(session: Session, ...rest: never[]) {
        this.#updates += 1;
        return super.updateSession(session, ...(rest as unknown as [Session['tenantId']]));
      }
      updates() {
        return this.#updates;
      }
    }
    const store = make(Sub) as Sub;
    const s = await scene(store);
    await executeBroadcastHandoff(s.deps, broadcast(s, 2), s.tenant);
    expect(store.updates()).toBe(2);
  });

  it('is called through a Proxy', async () => {
    const store = make();
    const calls: PropertyKey[] = [];
    const proxy = new Proxy(store, {
      get(target, key, receiver) {
        if (typeof key === 'string') calls.push(key);
        return Reflect.get(target, key, receiver);
      },
    });
    const s = await scene(proxy);
    calls.length = 0;
    await executeSingleHandoff(s.deps, single(s), s.tenant);
    expect(calls).toEqual([
      'getSession',
      'getProject',
      'getAncestry',
      'updateSession',
      'createSession',
      'createSubSession',
      'updateSession',
    ]);
  });

  it('refuses at the lock what changed since it was looked at', async () => {
    const s = await scene(make());
    s.deps.capacity.validateDepth = async () => {
      await s.store.updateSession({ ...s.source, ownerVersion: 3 }, s.tenant);
    };
    await expect(executeSingleHandoff(s.deps, single(s), s.tenant)).rejects.toMatchObject({
      name: 'HandoffVersionConflict',
      details: { expected: 0, actual: 3 },
    });
    s.deps.capacity.validateDepth = async () => {
      await s.store.updateSession({ ...s.source, ownerVersion: 3, status: 'active' }, s.tenant);
    };
    await expect(
      executeSingleHandoff(s.deps, single(s, { expectedOwnerVersion: 3 }), s.tenant),
    ).rejects.toMatchObject({ name: 'HandoffLockRejected', details: { reason: 'active_run' } });
    expect(s.sink.names).toEqual([]);
    expect(s.driver.labels).toEqual([]);
  });

  it('undoes a handoff whose source was handed over by other means meanwhile', async () => {
    const s = await scene(make());
    const create = s.driver.create.bind(s.driver);
    s.driver.create = async (params) => {
      await s.store.updateSession({ ...s.source, status: 'active', ownerVersion: 9 }, s.tenant);
      return create(params);
    };
    await expect(executeSingleHandoff(s.deps, single(s), s.tenant)).rejects.toMatchObject({
      name: 'HandoffVersionConflict',
    });
    expect(s.driver.live.size).toBe(0);
    expect(await s.store.getChildren(s.source.id, s.tenant)).toEqual([]);
    expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({
      status: 'active',
      ownerVersion: 9,
    });
  });
});

describe('the fields of the dependencies', () => {
  it('are looked up when they are called, and called on their objects', async () => {
    const s = await scene(makeStore('js'));
    const real = s.driver;
    // An object whose methods need their `this`, replaced while the handoff runs.
    class Counting {
      #calls = 0;
      async validateDepth() {
        this.#calls += 1;
        deps.workspaceRegistry = registryOf(real);
      }
      async validateWidth() {}
      get calls() {
        return this.#calls;
      }
    }
    const capacity = new Counting();
    const deps = { ...s.deps, capacity, workspaceRegistry: {} as typeof s.deps.workspaceRegistry };
    await executeSingleHandoff(deps, single(s), s.tenant);
    expect(capacity.calls).toBe(1);
    expect(real.live.size).toBe(1);
  });

  it('may be behind getters', async () => {
    const s = await scene(makeStore('memory'));
    const looked: string[] = [];
    const deps = new Proxy(s.deps, {
      get(target, key, receiver) {
        looked.push(String(key));
        return Reflect.get(target, key, receiver);
      },
    });
    await executeSingleHandoff(deps, single(s), s.tenant);
    expect(new Set(looked)).toEqual(
      new Set(['store', 'runStatus', 'capacity', 'workspaceRegistry', 'events']),
    );
  });
});

describe('a sink', () => {
  it.each(['memory', 'js'] as const)(
    'that throws changes nothing over a %s store',
    async (kind) => {
      for (const fails of [false, true]) {
        const s = await scene(makeStore(kind));
        const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
        const fail = () => {
          throw new Error('sink');
        };
        s.deps.events = { onLocked: fail, onUnlocked: fail, onCommitted: fail } as HandoffEventSink;
        const broken = new Error('driver');
        if (fails) s.driver.create = () => Promise.reject(broken);
        const running = executeSingleHandoff(s.deps, single(s), s.tenant);
        if (fails) await expect(running).rejects.toBe(broken);
        else await running;
        expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({
          status: 'idle',
          ownerVersion: fails ? 0 : 1,
        });
        expect(warn.mock.calls.map(([message]) => message)).toEqual([
          expect.stringContaining('onLocked'),
          expect.stringContaining(fails ? 'onUnlocked' : 'onCommitted'),
        ]);
        warn.mockRestore();
      }
    },
  );

  const mute = new Proxy(new Error('mute'), {
    get() {
      throw new Error('do not look');
    },
  });
  it.each<[string, () => unknown]>([
    ['a promise that rejects', async () => Promise.reject('late')],
    ['a promise of another realm that rejects', runInNewContext('async () => { throw 1; }')],
    [
      'something with a `then` that throws',
      () => Object.defineProperty({}, 'then', { get: () => expect.unreachable('no then') }),
    ],
    ['a promise that rejects with what has no text', () => Promise.reject(mute)],
    [
      'nothing, and throws what has no text',
      () => {
        throw mute;
      },
    ],
  ])('whose callbacks answer %s ends no process, and is told', async (_, onLocked) => {
    for (const kind of ['memory', 'js'] as const) {
      const s = await scene(makeStore(kind));
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      s.deps.events = { onLocked: onLocked as () => void };
      await executeSingleHandoff(s.deps, single(s), s.tenant);
      await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1));
      expect(warn.mock.calls[0]?.[1]).toMatchObject({ type: 'HandoffListenerWarning' });
      warn.mockRestore();
    }
  });

  it('that cannot be looked up is told of, and is in no way', async () => {
    const s = await scene(makeStore('memory'));
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    Object.defineProperty(s.deps, 'events', {
      get() {
        throw new Error('no events');
      },
    });
    await executeSingleHandoff(s.deps, single(s), s.tenant);
    const details = warn.mock.calls.map(([, options]) => (options as { detail: string }).detail);
    expect(details).toEqual(Array(2).fill(expect.stringContaining('no events')));
  });

  it('may have no callbacks at all', async () => {
    const s = await scene(makeStore('memory'));
    expect(Object.isFrozen(NOOP_HANDOFF_SINK)).toBe(true);
    expect(await NOOP_RUN_STATUS_RESOLVER.blockingRun(s.source.id, s.tenant)).toBeNull();
    await executeSingleHandoff({ ...s.deps, events: NOOP_HANDOFF_SINK }, single(s), s.tenant);
  });

  it('is told in time: locked before a workspace is made, committed after the commit', async () => {
    const s = await scene(makeStore('memory'));
    const seen: unknown[] = [];
    const look = async () => (await s.store.getSession(s.source.id, s.tenant))?.status;
    s.deps.events = {
      onLocked: () => seen.push(s.driver.labels.length) && seen.push(look()),
      onCommitted: () => seen.push(look()),
    } as HandoffEventSink;
    await executeSingleHandoff(s.deps, single(s), s.tenant);
    expect(await Promise.all(seen)).toEqual([0, 'locked', 'idle']);
  });
});
