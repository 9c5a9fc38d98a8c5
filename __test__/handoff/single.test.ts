import {
  type ActorRef,
  DelegationCapacityExceeded,
  executeSingleHandoff,
  generateSessionId,
  generateTenantId,
  HandoffLockRejected,
  HandoffVersionConflict,
  type SessionStatus,
  StaleSessionError,
  TenantIsolationError,
} from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { agent, JsSessionStore, makeStore, STORE_KINDS, scene, single, user } from './fixtures';

describe.each(STORE_KINDS)('executeSingleHandoff over a %s store', (kind) => {
  const setUp = () => scene(makeStore(kind));

  it('passes the session on, and makes a session, an edge and a workspace', async () => {
    const s = await setUp();
    const assignment = single(s);
    const outcome = await executeSingleHandoff(s.deps, assignment, s.tenant);

    const [workspace] = s.driver.live.values();
    expect(outcome).toEqual({
      assignmentId: assignment.id,
      newSessionId: expect.stringMatching(/^ses_/),
      workspaceId: workspace?.id,
      committedOwnerVersion: 1,
    });
    expect(s.driver.labels).toEqual([`handoff-${assignment.id}`]);
    expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({
      status: 'idle',
      currentActor: assignment.recipientActor,
      previousActors: [user(s.tenant, 'first')],
      ownerVersion: 1,
    });
    const recipient = await s.store.getSession(outcome.newSessionId, s.tenant);
    expect(recipient).toMatchObject({
      projectId: s.project.id,
      status: 'idle',
      currentActor: assignment.recipientActor,
      ownerVersion: 0,
      workspaceId: kind === 'js' ? null : workspace?.id,
    });
    const [edge, ...others] = await s.store.getChildren(s.source.id, s.tenant);
    expect(others).toEqual([]);
    expect(edge).toMatchObject({
      childSessionId: outcome.newSessionId,
      kind: 'user_handoff',
      status: 'pending',
      spawnedBy: assignment.sourceActor,
      workspaceId: kind === 'js' ? null : workspace?.id,
    });
    expect(edge).not.toHaveProperty('broadcastGroupId');
    expect(s.sink.names).toEqual(['locked', 'committed']);
    expect(s.sink.events).toEqual([
      { sessionId: s.source.id, at: expect.any(Date) },
      {
        sessionId: s.source.id,
        newVersion: 1,
        handoffIds: [assignment.id],
        at: expect.any(Date),
      },
    ]);
  });

  it('keeps every previous actor, in order', async () => {
    const s = await setUp();
    const actors: ActorRef[] = [];
    for (let n = 0; n < 40; n++) actors.push(agent(s.tenant, `a${n}`));
    await s.store.updateSession({ ...s.source, previousActors: actors }, s.tenant);
    for (let n = 0; n < 3; n++) {
      const recipientActor = agent(s.tenant, `next${n}`);
      const assignment = single(s, { recipientActor, expectedOwnerVersion: n });
      await executeSingleHandoff(s.deps, assignment, s.tenant);
    }
    const session = await s.store.getSession(s.source.id, s.tenant);
    expect(session?.previousActors).toEqual([
      ...actors,
      user(s.tenant, 'first'),
      agent(s.tenant, 'next0'),
      agent(s.tenant, 'next1'),
    ]);
    expect(session?.currentActor).toEqual(agent(s.tenant, 'next2'));
    expect(session?.ownerVersion).toBe(3);
  });

  it('adds nobody to the previous actors of a session that has no actor', async () => {
    const s = await setUp();
    await s.store.updateSession({ ...s.source, currentActor: null }, s.tenant);
    await executeSingleHandoff(s.deps, single(s), s.tenant);
    expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({ previousActors: [] });
  });

  it.each<[SessionStatus, string]>([
    ['active', 'active_run'],
    ['locked', 'active_run'],
    ['failed', 'active_run'],
    ['archived', 'active_run'],
    ['awaiting_hitl', 'pending_hitl'],
    ['awaiting_merge', 'pending_subsession'],
  ])('refuses a session that is %s', async (status, reason) => {
    const s = await setUp();
    await s.store.updateSession({ ...s.source, status }, s.tenant);
    const refused = executeSingleHandoff(s.deps, single(s), s.tenant);
    await expect(refused).rejects.toBeInstanceOf(HandoffLockRejected);
    await expect(refused).rejects.toMatchObject({ details: { sessionId: s.source.id, reason } });
    expect(s.sink.names).toEqual([]);
    expect(s.driver.labels).toEqual([]);
  });

  it('checks in the order of the contract', async () => {
    const s = await setUp();
    const log: string[] = [];
    const blocking = vi.fn(async () => {
      log.push('runs');
      return { reason: 'pending_hitl' as const, runId: 'run_1' as const };
    });
    const capacity = {
      validateDepth: vi.fn(async () => {
        log.push('depth');
      }),
      validateWidth: vi.fn(async () => {}),
    };
    const deps = { ...s.deps, capacity, runStatus: { blockingRun: blocking } };
    const wrong = { expectedOwnerVersion: 7 };

    const other = generateTenantId();
    await expect(
      executeSingleHandoff(deps, single(s, { tenantId: other, ...wrong }), s.tenant),
    ).rejects.toBeInstanceOf(TenantIsolationError);
    await expect(
      executeSingleHandoff(deps, single(s, { sourceSessionId: generateSessionId() }), s.tenant),
    ).rejects.toThrow('not found');
    await expect(
      executeSingleHandoff(deps, single(s, { projectId: 'prj_other', ...wrong }), s.tenant),
    ).rejects.toMatchObject({
      name: 'InvalidArgumentError',
      message: expect.stringContaining('prj_other'),
      details: { argument: 'assignment.projectId', received: 'prj_other' },
    });
    expect(log).toEqual([]);

    await expect(executeSingleHandoff(deps, single(s, wrong), s.tenant)).rejects.toMatchObject({
      name: 'HandoffLockRejected',
      details: { sessionId: s.source.id, reason: 'pending_hitl', runId: 'run_1' },
    });
    blocking.mockResolvedValue(null as never);
    const conflict = executeSingleHandoff(deps, single(s, wrong), s.tenant);
    await expect(conflict).rejects.toBeInstanceOf(HandoffVersionConflict);
    await expect(conflict).rejects.toMatchObject({
      details: { sessionId: s.source.id, expected: 7, actual: 0 },
    });
    expect(capacity.validateDepth).toHaveBeenCalledWith(s.source.id, 4, s.tenant);
    expect(capacity.validateWidth).not.toHaveBeenCalled();
    expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({ status: 'idle' });
  });

  it('refuses to delegate deeper than the project allows', async () => {
    const s = await setUp();
    let parent = s.source;
    for (let depth = 0; depth < 4; depth++) {
      const source = { ...s, source: parent };
      const outcome = await executeSingleHandoff(s.deps, single(source), s.tenant);
      const next = await s.store.getSession(outcome.newSessionId, s.tenant);
      if (next === null) throw new Error('no recipient');
      parent = next;
    }
    const refused = executeSingleHandoff(s.deps, single({ ...s, source: parent }), s.tenant);
    await expect(refused).rejects.toBeInstanceOf(DelegationCapacityExceeded);
    await expect(refused).rejects.toMatchObject({
      details: { dimension: 'depth', current: 5, limit: 4, sessionId: parent.id },
    });
    expect(await s.store.getSession(parent.id, s.tenant)).toMatchObject({ status: 'idle' });
  });

  it('rejects, and never throws, for arguments of no use', async () => {
    const s = await setUp();
    await expect(executeSingleHandoff(s.deps, null as never, s.tenant)).rejects.toMatchObject({
      name: 'InvalidArgumentError',
    });
    await expect(executeSingleHandoff(s.deps, single(s), '' as never)).rejects.toMatchObject({
      name: 'InvalidArgumentError',
    });
    const nameless = single(s, { recipientActor: undefined as never });
    await expect(executeSingleHandoff(s.deps, nameless, s.tenant)).rejects.toMatchObject({
      name: 'InvalidArgumentError',
    });
    expect(s.sink.names).toEqual([]);
  });

  it('uses the assignment as it was when it was passed', async () => {
    const s = await setUp();
    const assignment = single(s);
    const running = executeSingleHandoff(s.deps, assignment, s.tenant);
    assignment.recipientActor = agent(s.tenant, 'changed');
    assignment.expectedOwnerVersion = 9;
    await running;
    expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({
      currentActor: agent(s.tenant, 'second'),
    });
  });
});

it('takes the time from the application, which its tests may have stopped', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2001-02-03T04:05:06.789Z') });
  try {
    const at = new Date();
    const s = await scene(makeStore('memory'));
    const { newSessionId } = await executeSingleHandoff(s.deps, single(s), s.tenant);
    expect(s.sink.events.map((event) => event.at)).toEqual([at, at]);
    const [edge] = await s.store.getChildren(s.source.id, s.tenant);
    expect(edge?.spawnedAt).toEqual(at);
    const recipient = await s.store.getSession(newSessionId, s.tenant);
    expect(recipient?.createdAt).toEqual(at);
    expect((await s.store.getSession(s.source.id, s.tenant))?.updatedAt).toEqual(at);
  } finally {
    vi.useRealTimers();
  }
});

describe('executeSingleHandoff over an application’s own store', () => {
  it('calls in the order of the contract, and passes a version with the lock alone', async () => {
    const s = await scene(makeStore('js'));
    const calls: string[] = [];
    for (const method of Object.getOwnPropertyNames(JsSessionStore.prototype)) {
      if (method === 'constructor') continue;
      const original = Reflect.get(s.store, method);
      Reflect.set(s.store, method, (...args: unknown[]) => {
        calls.push(method === 'updateSession' ? `${method}/${args.length}` : method);
        return original.apply(s.store, args);
      });
    }
    const create = s.driver.create.bind(s.driver);
    s.driver.create = (params) => {
      calls.push('create');
      return create(params);
    };
    await executeSingleHandoff(s.deps, single(s), s.tenant);
    expect(calls).toEqual([
      'getSession',
      'getProject',
      'getAncestry',
      'updateSession/3',
      'create',
      'createSession',
      'createSubSession',
      'updateSession/2',
    ]);
  });

  it('keeps the fields of a session that it does not know, whatever they are', async () => {
    const s = await scene(makeStore('js'));
    await executeSingleHandoff(s.deps, single(s), s.tenant);
    const session = await s.store.getSession(s.source.id, s.tenant);
    expect(session).toMatchObject({ labels: new Map([['a', 1]]), big: 12n });
    expect(session?.createdAt).toBe(s.source.createdAt);
  });

  it('takes a stale session at the lock for a conflict of versions', async () => {
    const s = await scene(makeStore('js'));
    s.store.updateSession = async () => {
      throw new StaleSessionError({
        sessionId: s.source.id,
        expectedVersion: 0,
        actualVersion: 5,
      });
    };
    await expect(executeSingleHandoff(s.deps, single(s), s.tenant)).rejects.toMatchObject({
      name: 'HandoffVersionConflict',
      details: { sessionId: s.source.id, expected: 0, actual: 5 },
    });
    expect(s.sink.names).toEqual([]);
  });
});
