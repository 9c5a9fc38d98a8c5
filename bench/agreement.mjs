// Before anything is timed: a baseline must answer as our store does, or the comparison is of
// two different jobs. Ids are numbered in the order in which they first appear; dates count as
// equal to each other.

import { deepStrictEqual } from 'node:assert/strict';
import { message, newEdge, newSession, summary, TENANT } from './cases/plant.mjs';

/**
 * @param {import('./baselines/index.mjs').BenchStore} ours
 * @param {import('./baselines/index.mjs').BenchStore} theirs
 * @param {string} name of the other one
 */
export async function requireAgreement(ours, theirs, name) {
  const expected = anonymous(await answers(ours));
  const actual = anonymous(await answers(theirs));
  deepStrictEqual(actual, expected, `${name} does not answer as our store does`);
}

/** @param {import('./baselines/index.mjs').BenchStore} store */
async function answers(store) {
  const project = await store.createProject({ tenantId: TENANT, name: 'agreement' }, TENANT);
  const root = await newSession(store, project.id);
  const child = await newSession(store, project.id);
  const edge = await newEdge(store, root.id, child.id);
  const log = [project, root, child, edge];
  await store.updateSession({ ...child, status: 'active', ownerVersion: 1 }, TENANT, 0);
  await store.updateSubSession({ ...edge, status: 'active', broadcastGroupId: 'b' }, TENANT);
  for (let i = 0; i < 3; i += 1) log.push(await store.appendMessage(child.id, message(i), TENANT));
  await store.recordSummary(summary(child.id, 1), TENANT);
  log.push(
    await store.getProject(project.id, TENANT),
    await store.getSession(child.id, TENANT),
    await store.getSubSession(edge.id, TENANT),
    await store.loadMessages(child.id, TENANT),
    await store.loadSessionMessages(child.id, TENANT),
    await store.getChildren(root.id, TENANT),
    await store.getAncestry(child.id, TENANT),
    await store.drill(child.id, TENANT),
    await store.getSummary(child.id, TENANT),
    await rejects(store.deleteSession(child.id, TENANT)),
    await rejects(store.updateSession(child, TENANT, 7)),
    await rejects(store.getSession(child.id, 'tnt_other')),
    await rejects(store.recordSummary(summary(child.id, 2), TENANT)),
  );
  await store.deleteSubSession(edge.id, TENANT);
  await store.deleteSession(child.id, TENANT);
  log.push(await store.getSession(child.id, TENANT), await store.getChildren(root.id, TENANT));
  log.push(await store.loadMessages(child.id, TENANT), await store.getAncestry(child.id, TENANT));
  return log;
}

function rejects(promise) {
  return promise.then(
    () => 'answered',
    () => 'rejected',
  );
}

function anonymous(log) {
  const seen = new Map();
  const text = JSON.stringify(log, (_, value) => {
    // Dates arrive here as the strings that they are serialized to.
    return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? 'a date' : value;
  });
  const numbered = text.replace(/(?:prj|ses|sub|msg)_[0-9a-z]{12}/g, (id) => {
    if (!seen.has(id)) seen.set(id, `${id.slice(0, 3)} ${seen.size}`);
    return seen.get(id);
  });
  return JSON.parse(numbered);
}
