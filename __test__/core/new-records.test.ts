/** What creating a record answers is what reading it answers, down to the order of the keys. */

import { type ActorRef, DiskSessionStore, InMemorySessionStore } from 'namzu-native';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tempRoot } from '../support/temp-root.js';

const TENANT = 'tnt_new';
const USER: ActorRef = { kind: 'user', userId: 'usr_a', tenantId: TENANT };

class Agent {
  readonly kind = 'agent';
  readonly agentId = 'agt_a';
  readonly tenantId = TENANT;
}

class Renamed extends Agent {
  toJSON() {
    return { ...USER, userId: 'usr_renamed' };
  }
}

let reads = 0;
const counting = {
  ...USER,
  get userId() {
    reads += 1;
    return `usr_${reads}` as const;
  },
} as ActorRef;

const ACTORS: readonly [string, ActorRef][] = [
  ['plain', USER],
  ['of a class', new Agent()],
  ['with a toJSON', new Renamed()],
  ['whose fields change when they are read', counting],
  ['with a parent', { kind: 'agent', agentId: 'agt_b', tenantId: TENANT, parentActor: USER }],
  ['with more than we know', { ...USER, n: 1, absent: undefined, list: [1] } as ActorRef],
  ['with lone surrogates', { ...USER, name: '\ud800' } as ActorRef],
  ['with an odd key', JSON.parse('{"kind":"user","userId":"u","tenantId":"t","__proto__":"p"}')],
];

afterEach(() => {
  vi.useRealTimers();
});

describe.each([
  ['memory', () => new InMemorySessionStore()],
  ['disk', () => new DiskSessionStore({ rootDir: tempRoot(), durability: 'relaxed' })],
] as const)('a new record of a %s store', (_, open) => {
  it.each(ACTORS)('is answered as it is read, with an actor %s', async (__, actor) => {
    const store = open();
    const project = await store.createProject({ tenantId: TENANT, name: 'new' }, TENANT);
    const params = { projectId: project.id, currentActor: actor };
    const session = await store.createSession(params, TENANT);
    const read = await store.getSession(session.id, TENANT);
    expect(session).toStrictEqual(read);
    expect(JSON.stringify(session)).toBe(JSON.stringify(read));
    const edge = await store.createSubSession(
      {
        parentSessionId: session.id,
        childSessionId: session.id,
        kind: 'agent_spawn',
        spawnedBy: actor,
      },
      TENANT,
    );
    const readEdge = await store.getSubSession(edge.id, TENANT);
    expect(edge).toStrictEqual(readEdge);
    expect(JSON.stringify(edge)).toBe(JSON.stringify(readEdge));
    expect(edge.spawnedBy).not.toBe(actor);
    await store.close();
  });

  it.each([[12.7], [-3.5], [Number.NaN]])('has the time of a clock that says %d', async (now) => {
    const store = open();
    vi.spyOn(Date, 'now').mockReturnValue(now);
    const project = await store.createProject({ tenantId: TENANT, name: 'new' }, TENANT);
    const params = { projectId: project.id, currentActor: null };
    const session = await store.createSession(params, TENANT);
    vi.restoreAllMocks();
    expect(session).toStrictEqual(await store.getSession(session.id, TENANT));
    await store.close();
  });
});
