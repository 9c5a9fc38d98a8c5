import { DiskSessionStore, type ExtendedSessionStore, InMemorySessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejection } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, BETA, UNKNOWN_SESSION, World } from '../support/world.js';

const STORES = [
  { name: 'DiskSessionStore', open: () => new DiskSessionStore({ rootDir: tempRoot() }) },
  { name: 'InMemorySessionStore', open: () => new InMemorySessionStore() },
];

/** What every method answers, by its name. */
async function answers(store: ExtendedSessionStore): Promise<Record<string, unknown>> {
  const world = await World.in(store);
  const [parent, child] = await world.sessions(2);
  if (parent === undefined || child === undefined) throw new Error('two sessions were created');
  const edge = await world.edge(parent, child);
  await store.updateSubSession(
    {
      ...edge,
      prevArtifactRef: {
        kind: 'session_summary',
        id: 'del_x',
        sessionId: parent.id,
        summaryRef: 'sum_x',
        at: new Date(0),
      },
    },
    ALPHA,
  );
  const message = { role: 'assistant', content: null, toolCalls: [] } as const;
  return {
    createProject: world.project,
    createSession: parent,
    createSubSession: edge,
    updateSession: await store.updateSession(child, ALPHA),
    getProject: await store.getProject(world.project.id, ALPHA),
    updateProject: await store.updateProject(world.project.id, {}, ALPHA),
    listProjects: await store.listProjects(ALPHA, { limit: 1 }),
    listSessionsByProject: await store.listSessionsByProject(world.project.id, ALPHA, { limit: 1 }),
    getSession: await store.getSession(parent.id, ALPHA),
    getSubSession: await store.getSubSession(edge.id, ALPHA),
    appendMessage: await store.appendMessage(parent.id, { ...message, toolCalls: [] }, ALPHA),
    appendMessages: await store.appendMessages(parent.id, [{ role: 'user', content: '' }], ALPHA),
    loadMessages: await store.loadMessages(parent.id, ALPHA),
    loadSessionMessages: await store.loadSessionMessages(parent.id, ALPHA),
    streamMessages: await store.streamMessages(parent.id, ALPHA).next(),
    countMessages: await store.countMessages(parent.id, ALPHA),
    getChildren: await store.getChildren(parent.id, ALPHA),
    getAncestry: await store.getAncestry(child.id, ALPHA),
    drill: await store.drill(parent.id, ALPHA),
    recordSummary: await store.recordSummary(world.summary(parent), ALPHA),
    getSummary: await store.getSummary(parent.id, ALPHA),
    missing: await store.getSession(UNKNOWN_SESSION, ALPHA),
  };
}

// `toEqual`: in a pool that isolates by contexts, copies are of another realm.
describe.each(STORES)('structuredClone, with a $name', ({ open }) => {
  it('copies whatever a method answers', async () => {
    for (const [method, answer] of Object.entries(await answers(open()))) {
      expect(structuredClone(answer), method).toEqual(answer);
    }
  });

  it('copies an error with its message, as it does with any', async () => {
    const { store, project } = await World.in(open());
    const error = await rejection(store.getProject(project.id, BETA));
    const copy = structuredClone(error);
    expect(copy.message).toBe(error.message);
    expect(structuredClone((error as Error & { details: object }).details)).toEqual(
      (error as Error & { details: object }).details,
    );
  });
});
