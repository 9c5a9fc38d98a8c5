/** Values of the application that JSON cannot express: what happens to them in a handoff. */

import {
  type ActorRef,
  DefaultCapacityValidator,
  DelegationCapacityExceeded,
  executeBroadcastHandoff,
  executeSingleHandoff,
  InMemorySessionStore,
  type Session,
  type WorkspaceRef,
} from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { broadcast, JsSessionStore, makeStore, STORE_KINDS, scene, single } from './fixtures';

function cyclic(): Record<string, unknown> {
  const client: Record<string, unknown> = { port: 5n };
  client.self = client;
  return client;
}

describe.each(STORE_KINDS)('a reference that JSON cannot express, %s', (kind) => {
  it('is kept as it is, and its id alone is stored', async () => {
    const s = await scene(makeStore(kind));
    const create = s.driver.create.bind(s.driver);
    s.driver.create = async (params) => {
      const ref = await create(params);
      Object.assign(ref.meta, { client: cyclic() });
      return ref;
    };
    const outcome = await executeSingleHandoff(s.deps, single(s), s.tenant);
    expect([...s.driver.live.keys()]).toStrictEqual([outcome.workspaceId]);
    // The driver disposes of no reference but the very one that it made.
    s.deps.store.createSession = () => Promise.reject(new Error('no more'));
    const again = single(s, { expectedOwnerVersion: 1 });
    await expect(executeSingleHandoff(s.deps, again, s.tenant)).rejects.toThrow('no more');
    expect(s.driver.live.size).toBe(1);
  });

  it('is disposed of when it is no reference at all', async () => {
    const throwing = {
      get id(): string {
        throw new Error('no id');
      },
    };
    for (const odd of [{}, { id: '' }, { id: 7n }, throwing, [], 5, undefined]) {
      const s = await scene(makeStore(kind));
      const gone: unknown[] = [];
      s.driver.create = async () => odd as unknown as WorkspaceRef;
      s.driver.dispose = async (ref) => void gone.push(ref);
      for (const running of [
        () => executeSingleHandoff(s.deps, single(s), s.tenant),
        () => executeBroadcastHandoff(s.deps, broadcast(s, 2), s.tenant),
      ]) {
        await expect(running()).rejects.toMatchObject({ name: 'InvalidArgumentError' });
        expect(gone).toHaveLength(1);
        expect(gone.pop()).toBe(odd);
        expect((await s.store.getSession(s.source.id, s.tenant))?.status).toBe('idle');
      }
    }
  });
});

describe('limits of a store of the application', () => {
  const withLimits = async (limit: unknown) => {
    const memory = new InMemorySessionStore();
    const store = new Proxy(memory, {
      get(target, key) {
        const value = Reflect.get(target, key, target);
        if (key !== 'getProject') return typeof value === 'function' ? value.bind(target) : value;
        return async (...call: Parameters<InMemorySessionStore['getProject']>) => {
          const project = await target.getProject(...call);
          const config = { maxDelegationDepth: limit, maxDelegationWidth: limit };
          return { ...project, config };
        };
      },
    });
    return scene(store);
  };

  it.each([Number.POSITIVE_INFINITY, undefined, null, '9', 1e21])(
    'of %s reach the validator as they are',
    async (limit) => {
      const s = await withLimits(limit);
      const seen: unknown[] = [];
      s.deps.capacity = {
        validateDepth: async (_id, most) => void seen.push(most),
        validateWidth: async (_id, _more, most) => void seen.push(most),
      };
      await executeSingleHandoff(s.deps, single(s), s.tenant);
      const rows = broadcast(s, 2).map((row) => ({ ...row, expectedOwnerVersion: 1 }));
      await executeBroadcastHandoff(s.deps, rows, s.tenant);
      expect(seen).toStrictEqual([limit, limit, limit]);
    },
  );

  it('are compared as JavaScript compares', async () => {
    for (const limit of [Number.POSITIVE_INFINITY, undefined, '9', Number.NaN]) {
      const s = await withLimits(limit);
      await executeSingleHandoff(s.deps, single(s), s.tenant);
    }
    for (const limit of [null, '0', Number.NEGATIVE_INFINITY, -1]) {
      const s = await withLimits(limit);
      const refused = executeSingleHandoff(s.deps, single(s), s.tenant);
      const { details } = await rejectionOf(refused, DelegationCapacityExceeded);
      expect(details).toMatchObject({ dimension: 'depth', current: 1, limit });
      expect(s.driver.labels).toEqual([]);
    }
  });

  it('and counts that are no numbers get typed errors', async () => {
    const s = await scene(new InMemorySessionStore());
    const validator = new DefaultCapacityValidator(s.store);
    const width = (more: unknown, most: unknown) =>
      validator.validateWidth(s.source.id, more as number, most as number, s.tenant);
    for (const [more, most] of [
      [undefined, 8],
      [1n, 8],
      ['1', 8],
      [1, 8n],
      [1, Symbol('x')],
    ]) {
      await expect(width(more, most)).rejects.toMatchObject({ name: 'InvalidArgumentError' });
    }
    await width(Number.NaN, 8);
    await width(1, undefined);
    await rejectionOf(width(Number.POSITIVE_INFINITY, 8), DelegationCapacityExceeded);
  });
});

describe('actors of a store of the application', () => {
  it('stay the objects that they are', async () => {
    const store = new JsSessionStore();
    const s = await scene(store as never);
    const first = { ...s.source.currentActor, session: cyclic() } as unknown as ActorRef;
    const before = { kind: 'user', userId: 'usr_b', tenantId: s.tenant, n: 5n } as never;
    const source = store.sessions.get(s.source.id) as Session;
    source.currentActor = first;
    Object.assign(source, { previousActors: [before] });
    const since = new Date(5);
    const recipient = { kind: 'agent', agentId: 'agt_x', tenantId: s.tenant, since } as never;
    const outcome = await executeSingleHandoff(
      s.deps,
      single(s, { recipientActor: recipient }),
      s.tenant,
    );
    const after = store.sessions.get(s.source.id) as Session;
    expect(after.currentActor).toBe(recipient);
    expect(after.previousActors).toHaveLength(2);
    expect(after.previousActors[0]).toBe(before);
    expect(after.previousActors[1]).toBe(first);
    expect(store.sessions.get(outcome.newSessionId)?.currentActor).toBe(recipient);
  });

  it('are refused with a typed error where JSON is needed', async () => {
    for (const kind of STORE_KINDS) {
      const s = await scene(makeStore(kind));
      for (const odd of [{ n: 5n }, { self: cyclic() }]) {
        const recipientActor = { kind: 'agent', agentId: 'x', tenantId: s.tenant, ...odd } as never;
        const running = executeSingleHandoff(s.deps, single(s, { recipientActor }), s.tenant);
        await expect(running).rejects.toMatchObject({ name: 'InvalidArgumentError' });
      }
      expect(s.sink.names).toEqual([]);
    }
  });
});

it('holes among assignments are refused like any other that is none', async () => {
  const s = await scene(makeStore('memory'));
  const rows = broadcast(s, 3);
  delete rows[1];
  await expect(executeBroadcastHandoff(s.deps, rows, s.tenant)).rejects.toMatchObject({
    name: 'InvalidArgumentError',
    details: { argument: 'assignments.1' },
  });
});

it.each(['memory', 'disk'] as const)('a clock that tells no time, %s', async (kind) => {
  const s = await scene(makeStore(kind));
  const clock = vi.spyOn(Date, 'now');
  try {
    for (const odd of [undefined, 'noon', 5n, {}, Number.NaN, Number.POSITIVE_INFINITY]) {
      clock.mockReturnValue(odd as never);
      const started = new Date();
      const session = await s.store.createSession(
        { projectId: s.project.id, currentActor: null },
        s.tenant,
      );
      await s.store.appendMessage(session.id, { role: 'user', content: 'x' }, s.tenant);
      await s.store.updateSession(session, s.tenant);
      const stored = await s.store.getSession(session.id, s.tenant);
      expect(stored?.updatedAt.getTime()).toBeGreaterThanOrEqual(started.getTime() - 1);
    }
  } finally {
    clock.mockRestore();
  }
});
