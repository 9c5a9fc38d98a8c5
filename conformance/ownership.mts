import type { ActorRef, Message, SessionSummaryRef, SubSession } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { ALPHA, agentOf, present, userOf, World } from './support/world.mjs';

/** Overwrites everything that can be reached from a value, dates included. */
function scribble(value: unknown): void {
  if (value instanceof Date) value.setTime(1);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      scribble(inner);
      if (typeof inner !== 'object') Reflect.set(value, key, 'scribbled');
    }
    Reflect.set(value, 'scribbled', true);
    if (Array.isArray(value)) value.push('scribbled');
  }
}

function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Date) return;
  expect(Object.isExtensible(value)).toBe(true);
  expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(value));
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (Array.isArray(value) && key === 'length') continue;
    expect(property).toMatchObject({ enumerable: true, writable: true, configurable: true });
    expectPlain(property.value);
  }
}

/** A session with something of every kind in it, and a reading of everything that shows it. */
async function furnished(factory: SingleStoreFactory) {
  const world = await World.in(await factory());
  const { store } = world;
  const parent = await world.session();
  const session = await world.changeSession(await world.session(agentOf(ALPHA)), {
    previousActors: [userOf(ALPHA), agentOf(ALPHA)],
  });
  const edge = await world.change(await world.edge(parent, session), {
    prevArtifactRef: {
      id: 'del_1',
      kind: 'session_summary',
      sessionId: 'ses_x',
      summaryRef: 'sum_x',
      at: new Date(5),
    },
    archivedAt: new Date(6),
  });
  await world.edge(session, await world.session());
  await store.appendMessage(session.id, nestedMessage(), ALPHA);
  await store.recordSummary(
    world.summary(session, { keyDecisions: [{ at: new Date(7), summary: 'x' }] }),
    ALPHA,
  );
  const read = async () => ({
    project: await store.getProject(world.project.id, ALPHA),
    session: await store.getSession(session.id, ALPHA),
    edge: await store.getSubSession(edge.id, ALPHA),
    children: await store.getChildren(parent.id, ALPHA),
    ancestry: await store.getAncestry(session.id, ALPHA),
    view: await store.drill(session.id, ALPHA),
    messages: await store.loadMessages(session.id, ALPHA),
    envelopes: await store.loadSessionMessages(session.id, ALPHA),
    summary: await store.getSummary(session.id, ALPHA),
  });
  return { world, store, parent, session, edge, read };
}

function nestedMessage(): Message {
  return { role: 'assistant', content: 'x', vendor: { list: [{ deep: true }] } } as Message;
}

export function describeOwnership(factory: SingleStoreFactory): void {
  describe("values are the caller's own", () => {
    it('answers plain, extensible, unfrozen objects of own enumerable properties', async () => {
      const { read } = await furnished(factory);
      expectPlain(await read());
    });

    it('is not changed by changing what a read answered', async () => {
      const { read } = await furnished(factory);
      const before = await read();
      const scribbled = await read();
      scribble(scribbled);
      expect(scribbled.session).toMatchObject({ status: 'scribbled' });
      expect(await read()).toStrictEqual(before);
    });

    it('is not changed by changing what a creation answered', async () => {
      const world = await World.in(await factory());
      const { store } = world;
      const project = await store.createProject({ tenantId: ALPHA, name: 'x' }, ALPHA);
      const session = await world.session(agentOf(ALPHA));
      const edge = await world.edge(session, session);
      const originals = structuredClone({ project, session, edge });
      scribble({ project, session, edge });
      expect({
        project: await store.getProject(originals.project.id, ALPHA),
        session: await store.getSession(originals.session.id, ALPHA),
        edge: await store.getSubSession(originals.edge.id, ALPHA),
      }).toStrictEqual(originals);
    });

    it('takes its arguments as they are at the call: creations', async () => {
      const world = await World.in(await factory());
      const { store } = world;
      const params = { tenantId: ALPHA, name: 'as called' };
      const project = store.createProject(params, ALPHA);
      params.name = 'changed';
      expect((await project).name).toBe('as called');

      const actor: ActorRef = agentOf(ALPHA);
      const session = store.createSession(
        { projectId: world.project.id, currentActor: actor },
        ALPHA,
      );
      scribble(actor);
      expect((await session).currentActor).toStrictEqual(agentOf(ALPHA));

      const parent = await session;
      const edgeParams = {
        parentSessionId: parent.id,
        childSessionId: parent.id,
        kind: 'agent_spawn' as const,
        spawnedBy: agentOf(ALPHA),
      };
      const edge = store.createSubSession(edgeParams, ALPHA);
      scribble(edgeParams);
      expect(await edge).toMatchObject({ parentSessionId: parent.id, spawnedBy: agentOf(ALPHA) });
    });

    it('takes its arguments as they are at the call: updates', async () => {
      const { store, session, edge } = await furnished(factory);
      const payload = { ...structuredClone(session), createdAt: new Date(99) };
      const update = store.updateSession(payload, ALPHA);
      scribble(payload);
      await update;
      expect(await store.getSession(session.id, ALPHA)).toStrictEqual({
        ...session,
        createdAt: new Date(99),
        updatedAt: expect.any(Date),
      });

      const edgePayload: SubSession = { ...structuredClone(edge), spawnedAt: new Date(98) };
      const edgeUpdate = store.updateSubSession(edgePayload, ALPHA);
      scribble(edgePayload);
      await edgeUpdate;
      expect(await store.getSubSession(edge.id, ALPHA)).toStrictEqual({
        ...edge,
        spawnedAt: new Date(98),
        updatedAt: expect.any(Date),
      });
    });

    it('takes its arguments as they are at the call: messages and summaries', async () => {
      const { world, store, parent } = await furnished(factory);
      const message = nestedMessage();
      const append = store.appendMessage(parent.id, message, ALPHA);
      scribble(message);
      await append;
      expect(await store.loadMessages(parent.id, ALPHA)).toStrictEqual([nestedMessage()]);

      const keyDecisions = [{ at: new Date(7), summary: 'as called' }];
      const summary: SessionSummaryRef = world.summary(parent, { keyDecisions });
      const original = structuredClone(summary);
      const record = store.recordSummary(summary, ALPHA);
      scribble(summary);
      await record;
      expect(await store.getSummary(parent.id, ALPHA)).toStrictEqual(original);
    });

    it('does not change its arguments', async () => {
      const { world, store, session, edge } = await furnished(factory);
      const message = nestedMessage();
      const inputs = { session, edge, message, summary: world.summary(session) };
      const originals = structuredClone(inputs);
      await store.updateSession(inputs.session, ALPHA);
      await store.updateSubSession(inputs.edge, ALPHA);
      await store.appendMessage(session.id, inputs.message, ALPHA);
      await store.recordSummary(inputs.summary, ALPHA).catch(() => undefined);
      expect(inputs).toStrictEqual(originals);
    });

    it('accepts frozen arguments', async () => {
      const { store, session } = await furnished(factory);
      const message = Object.freeze({ role: 'user', content: 'frozen' } as const);
      await store.appendMessage(session.id, message, ALPHA);
      await store.updateSession(Object.freeze({ ...session, status: 'failed' }), ALPHA);
      expect(present(await store.getSession(session.id, ALPHA)).status).toBe('failed');
    });
  });
}
