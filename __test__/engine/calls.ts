import type { DiskSessionStore, ExtendedSessionStore } from 'namzu-native';
import { ALPHA, userOf, type World } from '../support/world.js';

/** One call of every method of a store but `close`, each with arguments that would succeed. */
export async function everyCall(world: World): Promise<Record<string, () => Promise<unknown>>> {
  const store = world.store as ExtendedSessionStore;
  const [parent, child, alone] = await world.sessions(3);
  if (!parent || !child || !alone) throw new Error('three sessions were asked for');
  const edge = await world.edge(parent, child);
  const between = { parentSessionId: parent.id, childSessionId: alone.id } as const;
  return {
    createProject: () => store.createProject({ tenantId: ALPHA, name: 'more' }, ALPHA),
    getProject: () => store.getProject(world.project.id, ALPHA),
    createSession: () =>
      store.createSession({ projectId: world.project.id, currentActor: null }, ALPHA),
    getSession: () => store.getSession(parent.id, ALPHA),
    updateSession: () => store.updateSession({ ...parent, status: 'active' }, ALPHA),
    createSubSession: () =>
      store.createSubSession({ ...between, kind: 'agent_spawn', spawnedBy: userOf(ALPHA) }, ALPHA),
    getSubSession: () => store.getSubSession(edge.id, ALPHA),
    updateSubSession: () => store.updateSubSession({ ...edge, status: 'active' }, ALPHA),
    appendMessage: () => store.appendMessage(parent.id, { role: 'user', content: 'x' }, ALPHA),
    appendMessages: () => store.appendMessages(parent.id, [{ role: 'user', content: 'x' }], ALPHA),
    replaceMessages: () => store.replaceMessages(parent.id, [], ALPHA),
    refresh: () => store.refresh(),
    flush: () => store.flush(),
    countMessages: () => store.countMessages(parent.id, ALPHA),
    streamMessages: async () => {
      for await (const _ of store.streamMessages(parent.id, ALPHA)) break;
    },
    updateProject: () => store.updateProject(world.project.id, { maxDelegationDepth: 5 }, ALPHA),
    listProjects: () => store.listProjects(ALPHA),
    listSessionsByProject: () => store.listSessionsByProject(world.project.id, ALPHA),
    loadMessages: () => store.loadMessages(parent.id, ALPHA),
    loadSessionMessages: () => store.loadSessionMessages(parent.id, ALPHA),
    getChildren: () => store.getChildren(parent.id, ALPHA),
    getAncestry: () => store.getAncestry(child.id, ALPHA),
    drill: () => store.drill(parent.id, ALPHA),
    recordSummary: () => store.recordSummary(world.summary(parent), ALPHA),
    getSummary: () => store.getSummary(parent.id, ALPHA),
    deleteSubSession: () => store.deleteSubSession('sub_none', ALPHA),
    deleteSession: () => store.deleteSession('ses_none', ALPHA),
  };
}

/** The names of the methods that a store has, whichever class it inherits them from. */
export function methodsOf(store: object): string[] {
  const names = new Set<string>();
  let prototype: object | null = Object.getPrototypeOf(store);
  for (; prototype !== null && prototype !== Object.prototype; ) {
    for (const name of Object.getOwnPropertyNames(prototype)) names.add(name);
    prototype = Object.getPrototypeOf(prototype);
  }
  names.delete('constructor');
  return [...names].sort();
}

/** What both of our stores can do beyond the contract. */
export type Closable = Pick<DiskSessionStore, 'close' | typeof Symbol.asyncDispose>;
