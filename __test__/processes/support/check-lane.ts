import { createHash } from 'node:crypto';
import type { Message, SessionId, SessionMessage, SessionStore, SubSession } from 'namzu-native';
import { expect } from 'vitest';
import { ALPHA } from '../../support/world.js';
import { type Known, type Lane, ownerAt } from './lane.js';

/** A message in few words, for a comparison that fails readably. */
function digest(message: Message): string {
  const text = JSON.stringify(message);
  return `${text.slice(0, 80)} ${createHash('sha1').update(text).digest('hex')}`;
}

const idsOf = (messages: readonly SessionMessage[]) => messages.map(({ id }) => id);

const withoutClock = ({ updatedAt: _, ...edge }: SubSession) => edge;

/**
 * Reads everything that a lane wrote and fails unless what was acknowledged is there, whole, and
 * the call that was not acknowledged took effect wholly or not at all. Answers what it read.
 */
export async function checkLane(lane: Lane, store: SessionStore): Promise<unknown[]> {
  const { root, pending } = lane;
  const read: unknown[] = [await checkSharedLog(lane, store)];
  if (root === null) return read;

  const edges = await store.getChildren(root.id, ALPHA);
  checkEdges(lane, edges);
  const parents = new Map(edges.map((edge) => [edge.childSessionId, root.id]));
  for (const known of [root, ...lane.children.values()]) {
    read.push(await checkSession(lane, known, parents, store));
  }
  for (const edge of edges) {
    expect(await store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    read.push(edge);
  }
  for (const id of lane.deletedSessions) await checkNoSession(id, store);
  for (const id of lane.deletedEdges) {
    expect(await store.getSubSession(id, ALPHA), `deleted edge ${id}`).toBeNull();
  }
  read.push(pending);
  return read;
}

async function checkSharedLog(lane: Lane, store: SessionStore): Promise<unknown> {
  const { shared, name } = lane.place;
  const all = await store.loadSessionMessages(shared, ALPHA);
  expect(new Set(idsOf(all)).size, 'no message is there twice').toBe(all.length);
  const own = all.filter(({ message }) => message.content?.startsWith(`${name}/`));
  checkLog(lane, shared, lane.sharedMessages, own, lane.pending?.do === 'append to the shared log');
  return idsOf(own);
}

/** Every acknowledged message in its order, and at most the one that was not acknowledged. */
function checkLog(
  lane: Lane,
  log: string,
  acknowledged: readonly string[],
  stored: readonly SessionMessage[],
  oneMore: boolean,
): void {
  const ids = idsOf(stored);
  expect(ids.slice(0, acknowledged.length), `acknowledged in ${log}`).toStrictEqual(acknowledged);
  expect(ids.length - acknowledged.length).toBeLessThanOrEqual(oneMore ? 1 : 0);
  expect(stored.map(({ message }) => digest(message))).toStrictEqual(
    stored.map((_, n) => digest(lane.message(log, n))),
  );
}

async function checkSession(
  lane: Lane,
  known: Known,
  parents: ReadonlyMap<SessionId, SessionId>,
  store: SessionStore,
): Promise<unknown> {
  const { id } = known;
  const pending =
    lane.pending && 'session' in lane.pending && lane.pending.session === id ? lane.pending : null;
  const view = await store.drill(id, ALPHA);
  if (view === null) {
    expect(pending, `session ${id} is missing`).toMatchObject({ do: 'delete session' });
    return checkNoSession(id, store);
  }
  const { session } = view;
  expect(await store.getSession(id, ALPHA)).toStrictEqual(session);
  const { version } = known;
  const versions = pending?.do === 'update' ? [version, version + 1] : [version];
  expect(versions, `version of ${id}`).toContain(session.ownerVersion);
  expect(session.currentActor).toStrictEqual(ownerAt(session.ownerVersion));

  const summary = await store.getSummary(id, ALPHA);
  if (pending?.do === 'summarize' && summary !== null) {
    expect(summary.id).toBe(pending.summary);
    expect(session.status, 'a summary comes with the change of the status').toBe('idle');
  } else {
    expect(summary?.id ?? null, `summary of ${id}`).toBe(known.summary);
    const updated = session.ownerVersion > version;
    expect(session.status, `status of ${id}`).toBe(updated ? 'active' : known.status);
  }

  const messages = await store.loadSessionMessages(id, ALPHA);
  checkLog(lane, id, known.messages, messages, pending?.do === 'append');

  const parent = parents.get(id);
  const ancestry = parent === undefined ? [id] : [parent, id];
  expect(view.ancestry, `ancestry of ${id}`).toStrictEqual(ancestry);
  expect(await store.getAncestry(id, ALPHA)).toStrictEqual(ancestry);
  return { view, summary, messages: idsOf(messages) };
}

/** The edges below the root are those of its children, but for one that is not acknowledged. */
function checkEdges(lane: Lane, edges: readonly SubSession[]): void {
  const { pending } = lane;
  const expected = new Map<SessionId, SubSession>();
  for (const { id, edge } of lane.children.values()) if (edge) expected.set(id, edge);
  for (const edge of edges) {
    const acknowledged = expected.get(edge.childSessionId);
    expected.delete(edge.childSessionId);
    if (acknowledged === undefined) {
      expect(pending, `edge ${edge.id}`).toStrictEqual({
        do: 'create edge',
        child: edge.childSessionId,
      });
    } else if (pending?.do === 'update edge' && pending.edge === edge.id) {
      expect({ ...withoutClock(edge), status: acknowledged.status }).toStrictEqual(
        withoutClock(acknowledged),
      );
    } else {
      expect(withoutClock(edge)).toStrictEqual(withoutClock(acknowledged));
    }
  }
  for (const { id } of expected.values()) {
    expect(pending, `edge ${id} is missing`).toStrictEqual({ do: 'delete edge', edge: id });
  }
}

/** Nothing of a session is left. */
async function checkNoSession(id: SessionId, store: SessionStore): Promise<null> {
  expect(await store.getSession(id, ALPHA), `deleted session ${id}`).toBeNull();
  expect(await store.loadMessages(id, ALPHA)).toStrictEqual([]);
  expect(await store.getSummary(id, ALPHA)).toBeNull();
  expect(await store.getAncestry(id, ALPHA)).toStrictEqual([]);
  return null;
}
