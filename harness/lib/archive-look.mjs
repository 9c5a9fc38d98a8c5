/** Looks at everything while no process is at it. */

import { DiskArchiveBackend, DiskSessionStore, verify } from 'namzu-native';
import { backendOf, managerOf } from './archive-backends.mjs';
import { TENANT, tokenOf } from './archive-world.mjs';

/** What a killed process leaves behind without any harm. */
const HARMLESS = ['leftover', 'salvaged'];

/** Reads every log and every bundle, puts back what is evicted, and asks `verify`. */
export async function look({ folder, rootDir, world, history, random, now }) {
  const store = new DiskSessionStore({ rootDir });
  const config = { kind: 'ours', rootDir, folder: `${folder}/bundles`, name: 'look', random };
  const seen = { back: 0, bundles: 0 };
  for (const project of world.projects) {
    const backend = backendOf(project.place, config);
    const manager = managerOf('ours', store, backend);
    const edges = [];
    for (const parent of project.parents) {
      edges.push(...(await store.getChildren(parent, TENANT)));
    }
    const archived = edges.filter(({ status }) => status === 'archived');
    for (const { id, childSessionId, archiveRef } of archived) {
      if (archiveRef === undefined) history.problems.push(`edge ${id} is archived nowhere`);
      else history.bundle(childSessionId, archiveRef, project.place, { call: 0, answer: now() });
    }
    for (const bundle of history.bundles.values()) {
      if (bundle.place !== project.place || bundle.read) continue;
      await readBundle(bundle, backend, history);
      seen.bundles += 1;
    }
    for (const { id } of project.children) {
      const mine = archived.filter(({ childSessionId }) => childSessionId === id);
      seen.back += await putBack({ store, manager, session: id, edges: mine, history, now });
    }
  }
  for (const { id } of world.doomed) await readLog(store, id, history, now);
  for (const { archiveRef, state } of await new DiskArchiveBackend({ rootDir }).verify()) {
    if (state === 'corrupt') history.problems.push(`bundle ${archiveRef} is ${state}`);
  }
  await store.close();
  for (const finding of await verify(rootDir)) {
    if (HARMLESS.includes(finding.kind)) continue;
    history.problems.push(`verify: ${JSON.stringify(finding)}`);
  }
  return seen;
}

/** A bundle that was named holds what the log held at some moment of its making. */
async function readBundle(bundle, backend, history) {
  const { session, archiveRef, call, answer } = bundle;
  bundle.read = true;
  const what = `bundle ${archiveRef}`;
  try {
    const { sessionId, messages } = await backend.restore(archiveRef);
    if (sessionId !== session) history.problems.push(`${what} is of ${sessionId}, not ${session}`);
    const tokens = messages.map(({ message }) => tokenOf(message));
    const read = { what, tokens, call, answer, bundle: true, anyTime: call === 0 };
    history.sessions.get(session).reads.push(read);
  } catch (error) {
    history.problems.push(`${what} of session ${session}: ${error.name}: ${error.message}`);
  }
}

async function readLog(store, session, history, now) {
  const call = now();
  const messages = await store.loadSessionMessages(session, TENANT);
  const tokens = messages.map(({ message }) => tokenOf(message));
  const read = { what: 'look', tokens, call, answer: now() };
  history.sessions.get(session).reads.push(read);
  return tokens;
}

/** Puts a session back if it is evicted, by an edge that names its bundle; answers how many. */
async function putBack({ store, manager, session, edges, history, now }) {
  const isEvicted = async () => {
    try {
      await store.appendMessages(session, [], TENANT);
      return false;
    } catch (error) {
      if (error.name === 'SessionEvictedError') return true;
      throw error;
    }
  };
  let back = 0;
  if (await isEvicted()) {
    const call = now();
    const refusals = [];
    for (const edge of edges) {
      if (!(await isEvicted())) break;
      await manager.restore(edge.id, TENANT).catch((error) => refusals.push(String(error)));
    }
    if ((await isEvicted()) && typeof manager.restoreSession === 'function') {
      await manager.restoreSession(session, TENANT).catch((error) => refusals.push(String(error)));
    }
    if (await isEvicted()) {
      const tried = JSON.stringify({ edges, refusals });
      history.problems.push(`session ${session} is evicted, and has no way back: ${tried}`);
      return 0;
    }
    const times = { what: 'look', call, answer: now(), sure: true };
    history.sessions.get(session).restorations.push(times);
    back = 1;
  }
  await readLog(store, session, history, now);
  return back;
}
