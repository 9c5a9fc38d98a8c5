// What the baselines share because the contract fixes it: the shape of new records, the
// refusals, and the walk from a session to its root. Nothing here touches a store's data.

import { mintId } from './mint-id.mjs';

/**
 * @typedef {import('namzu-native').Project} Project
 * @typedef {import('namzu-native').Session} Session
 * @typedef {import('namzu-native').SessionId} SessionId
 * @typedef {import('namzu-native').SubSession} SubSession
 * @typedef {import('namzu-native').CreateProjectParams} CreateProjectParams
 * @typedef {import('namzu-native').CreateSessionParams} CreateSessionParams
 * @typedef {import('namzu-native').CreateSubSessionParams} CreateSubSessionParams
 */

/** @param {CreateProjectParams} params @returns {Project} */
export function newProject({ tenantId, name }) {
  const now = new Date();
  return {
    id: mintId('prj'),
    tenantId,
    name,
    config: { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 },
    createdAt: now,
    updatedAt: new Date(now),
  };
}

/**
 * @param {CreateSessionParams} params
 * @param {import('namzu-native').TenantId} tenantId
 * @returns {Session}
 */
export function newSession({ projectId, currentActor }, tenantId) {
  const now = new Date();
  return {
    id: mintId('ses'),
    projectId,
    tenantId,
    status: 'idle',
    currentActor,
    previousActors: [],
    workspaceId: null,
    ownerVersion: 0,
    createdAt: now,
    updatedAt: new Date(now),
  };
}

/** @param {CreateSubSessionParams} params @returns {SubSession} */
export function newSubSession(params) {
  const now = new Date();
  return {
    id: mintId('sub'),
    parentSessionId: params.parentSessionId,
    childSessionId: params.childSessionId,
    kind: params.kind,
    status: 'pending',
    spawnedBy: params.spawnedBy,
    spawnedAt: now,
    failureMode: params.failureMode ?? 'delegate',
    completionMode: params.completionMode ?? 'summary_ref',
    workspaceId: null,
    updatedAt: new Date(now),
  };
}

/** @param {string} owner @param {string} tenantId @param {string} resource */
export function requireTenant(owner, tenantId, resource) {
  if (owner !== tenantId) throw new Error(`Tenant ${tenantId} may not access ${resource}`);
}

/** @param {string} resource @returns {Error} */
export function notFound(resource) {
  return new Error(`${resource} not found`);
}

/** Statuses that recording a summary ends. */
export const ENDED_BY_SUMMARY = new Set(['active', 'locked', 'awaiting_merge']);

/**
 * @param {{ createdAt: Date, id: string }} a
 * @param {{ createdAt: Date, id: string }} b
 */
export function byCreation(a, b) {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}

/** @param {SubSession} a @param {SubSession} b */
export function bySpawnTime(a, b) {
  return a.spawnedAt.getTime() - b.spawnedAt.getTime() || (a.id < b.id ? -1 : 1);
}

/**
 * Root first, self last.
 *
 * @param {SessionId} sessionId
 * @param {(childId: SessionId) => SubSession | undefined} parentEdgeOf
 */
export function walkToRoot(sessionId, parentEdgeOf) {
  const path = [sessionId];
  for (;;) {
    const edge = parentEdgeOf(path[path.length - 1]);
    if (edge === undefined) return path.reverse();
    if (path.includes(edge.parentSessionId)) throw new Error(`Ancestry cycle at ${sessionId}`);
    path.push(edge.parentSessionId);
  }
}
