// Before anything is timed: a baseline must answer as our store does, or the comparison is of
// two different jobs. It must answer with dates where ours does, and with values that are the
// caller's own; refuse another tenant, whatever is asked; and, on a disk, answer the same when it
// was closed and opened again. Ids are numbered in the order in which they first appear; dates
// since the run began count as equal to each other.

import { deepStrictEqual } from 'node:assert/strict';
import { ACTOR, message, summary, TENANT } from './cases/plant.mjs';

const OTHER = 'tnt_other';

/** Methods that a baseline may lack: compared where both have them. */
const EXTENDED = ['appendMessages', 'replaceMessages', 'countMessages', 'updateProject'];
const LISTING = ['listProjects', 'listSessionsByProject'];

/** @typedef {() => Promise<import('./baselines/index.mjs').BenchStore>} Open */

/**
 * @param {Open} openOurs always in the same directory
 * @param {Open} openTheirs
 * @param {{ name: string, lasts: boolean }} theirs its name, and whether it keeps what it holds when
 *   it is closed
 */
export async function requireAgreement(openOurs, openTheirs, { name, lasts }) {
  const probe = await openTheirs();
  const both = [...EXTENDED, ...LISTING].filter((method) => typeof probe[method] === 'function');
  await probe.close?.();
  const expected = anonymous(await answers(openOurs, lasts, both));
  const actual = anonymous(await answers(openTheirs, lasts, both));
  deepStrictEqual(actual, expected, `${name} does not answer as our store does`);
}

/** @param {Open} open @param {boolean} lasts @param {readonly string[]} extended */
async function answers(open, lasts, extended) {
  const log = [];
  let store = await open();
  try {
    const ids = await build(store, log);
    const questions = questionsAbout(ids, extended);
    await answerTwice(store, questions, log);
    await refuseOthers(store, ids, log);
    if (lasts) {
      await store.close?.();
      store = await open();
      await answerTwice(store, questions, log);
    }
    await changeMore(store, ids, extended, log);
    await answerTwice(store, questions, log);
    await takeApart(store, ids, log);
  } finally {
    await store.close?.();
  }
  return log;
}

async function build(store, log) {
  const project = await store.createProject({ tenantId: TENANT, name: 'agreement' }, TENANT);
  const newSession = () => store.createSession(sessionOf(project.id), TENANT);
  const root = await newSession();
  const child = await newSession();
  const edge = await store.createSubSession(linkOf(root.id, child.id), TENANT);
  log.push(shape([project, root, child, edge]));
  const ids = { project: project.id, root: root.id, child: child.id, edge: edge.id };
  await store.updateSession({ ...child, status: 'active', ownerVersion: 1 }, TENANT, 0);
  await store.updateSubSession({ ...edge, status: 'active', broadcastGroupId: 'b' }, TENANT);
  for (let i = 0; i < 3; i += 1) log.push(await store.appendMessage(child.id, message(i), TENANT));
  await store.recordSummary(summary(child.id, 1), TENANT);
  // What the caller does with what it was given may not reach the store.
  for (const given of [project, root, child, edge]) spoil(given);
  return ids;
}

// Actors of their own, which may be spoilt with what is answered.
function sessionOf(projectId) {
  return { projectId, currentActor: { ...ACTOR } };
}

function linkOf(parentSessionId, childSessionId) {
  return { parentSessionId, childSessionId, kind: 'agent_spawn', spawnedBy: { ...ACTOR } };
}

function questionsAbout({ project, root, child, edge }, extended) {
  const has = (method, question) => (extended.includes(method) ? [question] : []);
  return [
    (store, tenant) => store.getProject(project, tenant),
    (store, tenant) => store.getSession(root, tenant),
    (store, tenant) => store.getSession(child, tenant),
    (store, tenant) => store.getSubSession(edge, tenant),
    (store, tenant) => store.loadMessages(child, tenant),
    (store, tenant) => store.loadSessionMessages(child, tenant),
    (store, tenant) => store.getChildren(root, tenant),
    (store, tenant) => store.getAncestry(child, tenant),
    (store, tenant) => store.drill(root, tenant),
    (store, tenant) => store.drill(child, tenant),
    (store, tenant) => store.getSummary(child, tenant),
    ...has('countMessages', (store, tenant) => store.countMessages(child, tenant)),
    ...has('listProjects', (store, tenant) => store.listProjects(tenant)),
    ...has('listSessionsByProject', async (store, tenant) => {
      const { items } = await store.listSessionsByProject(project, tenant);
      // Sessions of one millisecond are ordered by their ids, which are drawn.
      return items.map(({ status }) => status).sort();
    }),
  ];
}

/** The second answer shows whether the first was the caller's own to spoil. */
async function answerTwice(store, questions, log) {
  for (const ask of questions) {
    const first = await ask(store, TENANT);
    log.push(shape(first));
    spoil(first);
    log.push(shape(await ask(store, TENANT)));
  }
}

async function refuseOthers(store, { project, root, child, edge }, log) {
  const session = await store.getSession(child, TENANT);
  const link = await store.getSubSession(edge, TENANT);
  const refused = [
    () => store.createProject({ tenantId: TENANT, name: 'not theirs' }, OTHER),
    () => store.getProject(project, OTHER),
    () => store.createSession(sessionOf(project), OTHER),
    () => store.getSession(child, OTHER),
    () => store.updateSession(session, OTHER),
    () => store.deleteSession(child, OTHER),
    () => store.createSubSession(linkOf(root, child), OTHER),
    () => store.getSubSession(edge, OTHER),
    () => store.updateSubSession(link, OTHER),
    () => store.deleteSubSession(edge, OTHER),
    () => store.appendMessage(child, message(9), OTHER),
    () => store.loadMessages(child, OTHER),
    () => store.loadSessionMessages(child, OTHER),
    () => store.getChildren(child, OTHER),
    () => store.getAncestry(child, OTHER),
    () => store.drill(child, OTHER),
    () => store.recordSummary(summary(child, 1), OTHER),
    () => store.getSummary(child, OTHER),
  ];
  for (const [i, ask] of refused.entries()) log.push(`${i}: ${await rejects(ask())}`);
}

async function changeMore(store, { project, root, child }, extended, log) {
  const session = await store.getSession(child, TENANT);
  log.push(
    await rejects(store.deleteSession(child, TENANT)),
    await rejects(store.updateSession(session, TENANT, 7)),
    await rejects(store.recordSummary(summary(child, 2), TENANT)),
    await rejects(store.appendMessage('ses_nobody000000', message(0), TENANT)),
    await rejects(store.createSession(sessionOf('prj_nobody000000'), TENANT)),
  );
  const messages = [message(4), message(5)];
  if (extended.includes('appendMessages')) {
    log.push(shape(await store.appendMessages(root, messages, TENANT)));
  }
  if (extended.includes('replaceMessages')) await store.replaceMessages(child, messages, TENANT);
  if (extended.includes('updateProject')) {
    log.push(shape(await store.updateProject(project, { maxDelegationWidth: 5 }, TENANT)));
  }
  log.push(shape(await store.loadMessages(root, TENANT)));
}

async function takeApart(store, { root, child, edge }, log) {
  await store.deleteSubSession(edge, TENANT);
  await store.deleteSession(child, TENANT);
  log.push(
    await store.getSession(child, TENANT),
    await store.getSubSession(edge, TENANT),
    await store.getSummary(child, TENANT),
    shape(await store.getChildren(root, TENANT)),
    shape(await store.loadMessages(child, TENANT)),
    shape(await store.getAncestry(child, TENANT)),
  );
}

function rejects(promise) {
  return promise.then(
    () => 'answered',
    () => 'rejected',
  );
}

const BEGAN = Date.now();

/** A copy in which a date is told from the text of one. What is undefined is as good as absent. */
function shape(value) {
  if (value instanceof Date) {
    return value.getTime() < BEGAN ? `date ${value.getTime()}` : 'a date of this run';
  }
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, shape(field)]));
}

/** Changes whatever can be changed of a value, all the way down. */
function spoil(value) {
  if (value instanceof Date) value.setTime(0);
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  for (const key of Object.keys(value)) {
    if (typeof value[key] === 'object') spoil(value[key]);
    else value[key] = 'spoilt';
  }
  if (Array.isArray(value)) value.push('spoilt');
}

function anonymous(log) {
  const seen = new Map();
  const numbered = JSON.stringify(log).replace(/(?:prj|ses|sub|msg)_[0-9a-z]{12}/g, (id) => {
    if (!seen.has(id)) seen.set(id, `${id.slice(0, 3)} ${seen.size}`);
    return seen.get(id);
  });
  return JSON.parse(numbered);
}
