/** Views of a memory store that are read again: each is a copy, of what the store has now. */

import {
  type ActorRef,
  type DeliverableId,
  InMemorySessionStore,
  type SessionView,
  type SubSession,
  type TenantId,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';

const TENANT: TenantId = 'tnt_again';
const USER: ActorRef = { kind: 'user', userId: 'usr_a', tenantId: TENANT };
const ODD: ActorRef = JSON.parse(
  '{"kind":"user","userId":"u","tenantId":"t","tags":["a",{"b":null}],"__proto__":{"a":[1]}}',
);

/** A root, a session below it, and two below that. */
async function world() {
  const store = new InMemorySessionStore();
  const project = await store.createProject({ tenantId: TENANT, name: 'again' }, TENANT);
  const make = () => store.createSession({ projectId: project.id, currentActor: USER }, TENANT);
  const link = (parent: { id: string }, child: { id: string }, spawnedBy = USER) => {
    const ends = { parentSessionId: parent.id, childSessionId: child.id } as SubSession;
    return store.createSubSession({ ...ends, kind: 'agent_spawn', spawnedBy }, TENANT);
  };
  const [root, middle, left, right] = [await make(), await make(), await make(), await make()];
  const above = await link(root, middle);
  const edges = [await link(middle, left, ODD), await link(middle, right)] as const;
  const view = () => store.drill(middle.id, TENANT) as Promise<SessionView>;
  return { store, make, link, root, middle, left, right, above, edges, view };
}

describe('a view that is read again', () => {
  it.each<[string, Partial<SubSession>]>([
    ['', {}],
    [' with an archived child', { status: 'archived', archivedAt: new Date(5) }],
    [
      ' with a child that continues from another’s work',
      {
        prevArtifactRef: {
          kind: 'session_summary',
          id: 'dlv_a' as DeliverableId,
          sessionId: 'ses_a',
          summaryRef: 'sum_a',
          at: new Date(7),
        },
      },
    ],
  ])('is the same%s, and the caller’s own', async (_, change) => {
    const { store, middle, edges, view } = await world();
    await store.updateSubSession({ ...edges[0], ...change } as SubSession, TENANT);
    const first = await view();
    const text = JSON.stringify(first);
    const copy = structuredClone(first);
    expect(first.children).toHaveLength(2);
    for (let i = 0; i < 4; i += 1) {
      const again = await view();
      expect(again).toStrictEqual(copy);
      expect(JSON.stringify(again)).toBe(text);
      expect(await store.getChildren(middle.id, TENANT)).toStrictEqual(copy.children);
      expect(await store.getAncestry(middle.id, TENANT)).toStrictEqual(copy.ancestry);
      for (const { ancestry, children, session } of [first, again]) {
        (ancestry as string[]).push('ses_changed');
        Object.assign(session, { status: 'failed' });
        for (const edge of children) {
          edge.spawnedAt.setTime(1);
          edge.archivedAt?.setTime(1);
          Object.assign(edge.spawnedBy, { userId: 'usr_changed' });
          edge.status = 'failed';
        }
        (children as SubSession[]).pop();
      }
    }
  });

  it('shows every change of an edge, above it and below it', async () => {
    const { store, make, link, root, middle, above, edges, view } = await world();
    const often = async () => {
      for (let i = 0; i < 3; i += 1) await view();
      return view();
    };
    await often();
    await store.updateSubSession({ ...edges[0], status: 'active' }, TENANT);
    expect((await often()).children.map(({ status }) => status)).toContain('active');
    const more = await make();
    await link(middle, more);
    expect((await often()).children).toHaveLength(3);
    await store.deleteSubSession(edges[1].id, TENANT);
    expect((await often()).children).toHaveLength(2);
    const top = await make();
    const first = await link(top, root);
    expect((await often()).ancestry).toStrictEqual([top.id, root.id, middle.id]);
    const other = await make();
    await store.updateSubSession({ ...first, parentSessionId: other.id }, TENANT);
    expect((await often()).ancestry).toStrictEqual([other.id, root.id, middle.id]);
    await store.deleteSubSession(above.id, TENANT);
    expect((await often()).ancestry).toStrictEqual([middle.id]);
  });

  it('goes with its session', async () => {
    const { store, make } = await world();
    const { id } = await make();
    for (let i = 0; i < 4; i += 1) {
      expect(await store.drill(id, TENANT)).toMatchObject({ children: [], ancestry: [id] });
      expect(await store.getChildren(id, TENANT)).toStrictEqual([]);
    }
    await store.deleteSession(id, TENANT);
    expect(await store.drill(id, TENANT)).toBeNull();
    expect(await store.getAncestry(id, TENANT)).toStrictEqual([]);
  });

  it('is refused to another tenant, and after the store was closed', async () => {
    const { store, middle, view } = await world();
    for (let i = 0; i < 4; i += 1) await view();
    const methods = ['drill', 'getChildren', 'getAncestry'] as const;
    for (const method of methods) {
      await expect(store[method](middle.id, 'tnt_other')).rejects.toMatchObject({
        name: 'TenantIsolationError',
      });
    }
    await store.close();
    for (const method of methods) {
      await expect(store[method](middle.id, TENANT)).rejects.toMatchObject({
        name: 'StoreClosedError',
      });
    }
  });
});
