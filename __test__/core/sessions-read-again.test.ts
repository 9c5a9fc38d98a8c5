/** Sessions of a memory store that are read again: each is a copy, of what the store has now. */

import {
  type ActorRef,
  InMemorySessionStore,
  type Session,
  type SessionId,
  type TenantId,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';

const TENANT: TenantId = 'tnt_again';
const USER: ActorRef = { kind: 'user', userId: 'usr_a', tenantId: TENANT };

async function worldWith(currentActor: ActorRef | null) {
  const store = new InMemorySessionStore();
  const project = await store.createProject({ tenantId: TENANT, name: 'again' }, TENANT);
  const session = await store.createSession({ projectId: project.id, currentActor }, TENANT);
  const read = () => store.getSession(session.id, TENANT) as Promise<Session>;
  return { store, session, read };
}

describe('a session that is read again', () => {
  const deep = JSON.parse(`${'{"parentActor":'.repeat(40)}{}${'}'.repeat(40)}`);
  it.each<[string, ActorRef | null]>([
    ['no actor', null],
    ['an actor', USER],
    [
      'an actor with parents',
      { kind: 'agent', agentId: 'agt_a', tenantId: TENANT, parentActor: USER },
    ],
    ['an actor with more than we know', { ...USER, tags: ['a', { b: null }], n: 1 } as ActorRef],
    [
      'an actor with an odd key',
      JSON.parse('{"kind":"user","userId":"u","tenantId":"t","__proto__":{"a":[1]}}'),
    ],
    ['an actor that is nested deeply', { ...USER, deep } as ActorRef],
  ])('is the same with %s, and the caller’s own', async (_, actor) => {
    const { session, read } = await worldWith(actor);
    const first = await read();
    expect(first).toStrictEqual(session);
    for (let i = 0; i < 3; i += 1) {
      const again = await read();
      expect(again).toStrictEqual(session);
      expect(JSON.stringify(again)).toBe(JSON.stringify(session));
      again.createdAt.setTime(0);
      (again.previousActors as ActorRef[]).push(USER);
      if (again.currentActor !== null) {
        Object.assign(again.currentActor, { userId: 'usr_changed' });
        const { parentActor } = again.currentActor as { parentActor?: ActorRef };
        if (parentActor !== undefined) Object.assign(parentActor, { userId: 'usr_changed' });
      }
    }
    expect(await read()).toStrictEqual(session);
  });

  it('shows every change', async () => {
    const { store, session, read } = await worldWith(USER);
    for (let version = 1; version < 20; version += 1) {
      await read();
      const next = { ...(await read()), ownerVersion: version, previousActors: [USER] };
      await store.updateSession(next, TENANT, version - 1);
      expect(await read()).toMatchObject({ ownerVersion: version, previousActors: [USER] });
    }
    await store.updateSession({ ...session, status: 'active' }, TENANT);
    expect((await read()).status).toBe('active');
    await store.recordSummary(summaryOf(session.id), TENANT);
    expect((await read()).status).toBe('idle');
    await store.deleteSession(session.id, TENANT);
    expect(await read()).toBeNull();
  });

  it('is refused to another tenant, and after the store was closed', async () => {
    const { store, session, read } = await worldWith(USER);
    await read();
    await read();
    await expect(store.getSession(session.id, 'tnt_other')).rejects.toMatchObject({
      name: 'TenantIsolationError',
    });
    await store.close();
    await expect(read()).rejects.toMatchObject({ name: 'StoreClosedError' });
  });
});

function summaryOf(sessionRef: SessionId) {
  const at = new Date(0);
  return {
    id: 'sum_a' as const,
    sessionRef,
    tenantId: TENANT,
    outcome: { status: 'succeeded' as const },
    deliverables: [],
    agentSummary: 'done',
    keyDecisions: [],
    at,
    materializedBy: 'kernel' as const,
  };
}
