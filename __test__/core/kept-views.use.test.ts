/** When copies of views are used, when they are not, and what is changed behind JavaScript's back. */

import {
  type ActorRef,
  executeSingleHandoff,
  InMemorySessionStore,
  type Session,
  type SessionId,
  type TenantId,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { makeStore, scene, single } from '../handoff/fixtures';
import { archiveWorld, memoryStore } from '../retention/archive-world';
import { ALPHA } from '../support/world';

const TENANT: TenantId = 'tnt_kept';
const USER: ActorRef = { kind: 'user', userId: 'usr_a', tenantId: TENANT };
const READS = ['drill', 'getChildren', 'getAncestry'] as const;

interface Source {
  core(): Record<string, (...args: unknown[]) => unknown>;
}

/** Counts what a store asks of its native half. */
function countedCalls(store: InMemorySessionStore): Record<string, number> {
  const [key] = Object.getOwnPropertySymbols(store);
  const core = (store as unknown as Record<symbol, Source>)[key as symbol]?.core();
  if (core === undefined) throw new Error('a store has no native half');
  const calls: Record<string, number> = {};
  for (const method of [...READS, 'getSession']) {
    const call = core[method] as (...args: unknown[]) => unknown;
    calls[method] = 0;
    core[method] = (...args) => {
      calls[method] = (calls[method] ?? 0) + 1;
      return call.apply(core, args);
    };
  }
  return calls;
}

async function world() {
  const store = new InMemorySessionStore();
  const project = await store.createProject({ tenantId: TENANT, name: 'kept' }, TENANT);
  const make = () => store.createSession({ projectId: project.id, currentActor: USER }, TENANT);
  const link = async (parent: Session, child: Session) => {
    const ends = { parentSessionId: parent.id, childSessionId: child.id };
    await store.createSubSession({ ...ends, kind: 'agent_spawn', spawnedBy: USER }, TENANT);
    return child;
  };
  const ask = async (id: SessionId, times: number) => {
    for (let i = 0; i < times; i += 1) await store.drill(id, TENANT);
  };
  return { store, make, link, ask, calls: countedCalls(store) };
}

describe('copies of views', () => {
  it('spare the calls into the core, from the third on', async () => {
    const { store, make, link, calls } = await world();
    const root = await make();
    await link(root, await make());
    for (let i = 0; i < 9; i += 1) {
      for (const method of READS) await store[method](root.id, TENANT);
    }
    // The second question about a session, whichever it is, finds it asked about again.
    expect(calls).toStrictEqual({ drill: 2, getChildren: 1, getAncestry: 1, getSession: 0 });
  });

  it.each([64, 65])('are kept of no more than 64 children: %i', async (count) => {
    const { make, link, ask, calls } = await world();
    const root = await make();
    for (let i = 0; i < count; i += 1) await link(root, await make());
    await ask(root.id, 5);
    expect(calls.drill).toBe(count > 64 ? 5 : 2);
  });

  it.each([64, 65])('are kept of no more than 64 ancestors: %i', async (count) => {
    const { make, link, ask, calls } = await world();
    let last = await make();
    for (let i = 1; i < count; i += 1) last = await link(last, await make());
    await ask(last.id, 5);
    expect(calls.drill).toBe(count > 64 ? 5 : 2);
  });

  it('are dropped when there are too many, and never wrong', async () => {
    const { store, make, ask, calls } = await world();
    const sessions: Session[] = [];
    for (let i = 0; i < 20_000; i += 1) sessions.push(await make());
    for (const { id } of sessions) await ask(id, 2);
    const before = calls.drill ?? 0;
    for (const session of sessions) {
      const view = { session, children: [], ancestry: [session.id] };
      expect(await store.drill(session.id, TENANT)).toStrictEqual(view);
    }
    const asked = (calls.drill ?? 0) - before;
    expect(asked).toBeGreaterThan(0);
  });

  it('are not kept of a store that was closed', async () => {
    const { store, make, ask } = await world();
    const { id } = await make();
    await ask(id, 4);
    await store.close();
    const [key] = Object.getOwnPropertySymbols(store);
    const source = (store as unknown as Record<symbol, object>)[key as symbol];
    expect(source).toMatchObject({ closed: true, kept: undefined });
  });
});

describe('what other threads change', () => {
  it('shows in the views of an archive’s session', async () => {
    const { store, manager, parent, edge } = await archiveWorld(memoryStore);
    const child = async () => {
      for (let i = 0; i < 3; i += 1) await store.drill(parent.id, ALPHA);
      const view = await store.drill(parent.id, ALPHA);
      const [first] = view?.children ?? [];
      expect(await store.getChildren(parent.id, ALPHA)).toStrictEqual([first]);
      return first;
    };
    expect(await child()).toMatchObject({ status: 'idle' });
    const { archiveRef } = await manager.archive(edge.id, ALPHA);
    expect(await child()).toMatchObject({ status: 'archived', archiveRef });
    await manager.restore(edge.id, ALPHA);
    expect(await child()).toMatchObject({ status: 'idle' });
    expect(await child()).not.toHaveProperty('archiveRef');
  });

  it('shows in the views of a handoff’s source', async () => {
    const { store, deps, source, tenant, ...rest } = await scene(makeStore('memory'));
    const view = async () => {
      for (let i = 0; i < 3; i += 1) await store.drill(source.id, tenant);
      return store.drill(source.id, tenant);
    };
    expect(await view()).toMatchObject({ children: [], session: { ownerVersion: 0 } });
    const assignment = single({ store, deps, source, tenant, ...rest });
    const { newSessionId } = await executeSingleHandoff(deps, assignment, tenant);
    expect(await view()).toMatchObject({
      children: [{ childSessionId: newSessionId }],
      session: { ownerVersion: 1, currentActor: assignment.recipientActor },
    });
    const ancestry = [source.id, newSessionId];
    for (let i = 0; i < 3; i += 1) {
      expect(await store.getAncestry(newSessionId, tenant)).toStrictEqual(ancestry);
    }
  });
});
