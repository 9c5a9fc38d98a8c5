// A root as the format draws it, written without any store: sessions over many projects, each
// but the first the child of another, ten children each.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTOR, TENANT } from './plant.mjs';

// More than a store looks into one by one to find a session.
const PROJECTS = 40;
const CHILDREN = 10;
const AT = '2026-01-02T03:04:05.678Z';

const numbered = (prefix, i) => `${prefix}_${i.toString(36).padStart(12, '0')}`;
const sessionId = (i) => numbered('ses', i);

/** A session somewhere in a large root: it has a parent, and below 10 % of the count, children. */
export const someSession = (sessions) => sessionId(Math.floor(sessions * 0.07));

/**
 * @param {string} rootDir to be made
 * @param {number} sessions and as many edges: the last session has two parents
 */
export function writeLargeRoot(rootDir, sessions) {
  const folders = [];
  for (let i = 0; i < PROJECTS; i += 1) {
    const folder = join(rootDir, 'projects', numbered('prj', i));
    mkdirSync(join(folder, 'sessions'), { recursive: true });
    writeRecord(join(folder, 'project.json'), project(i));
    folders.push(folder);
  }
  const folderOf = (i) => join(folders[i % PROJECTS], 'sessions', sessionId(i));
  for (let i = 0; i < sessions; i += 1) {
    mkdirSync(folderOf(i));
    writeRecord(join(folderOf(i), 'session.json'), session(i));
  }
  const addEdge = (number, parent, child) => {
    const edges = join(folderOf(parent), 'subsessions');
    if (number % CHILDREN === 0) mkdirSync(edges, { recursive: true });
    mkdirSync(join(edges, numbered('sub', number)));
    const path = join(edges, numbered('sub', number), 'subsession.json');
    writeRecord(path, edge(number, parent, child));
  };
  for (let i = 0; i < sessions - 1; i += 1) addEdge(i, Math.floor(i / CHILDREN), i + 1);
  // The first of a new family of edges, so that its folder is made.
  addEdge(Math.ceil(sessions / CHILDREN) * CHILDREN, sessions - 2, sessions - 1);
}

function writeRecord(path, record) {
  writeFileSync(path, JSON.stringify(record, null, 2));
}

function project(i) {
  return {
    id: numbered('prj', i),
    tenantId: TENANT,
    name: `project ${i}`,
    config: { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 },
    createdAt: AT,
    updatedAt: AT,
  };
}

function session(i) {
  return {
    id: sessionId(i),
    projectId: numbered('prj', i % PROJECTS),
    tenantId: TENANT,
    status: 'idle',
    currentActor: ACTOR,
    previousActors: [],
    workspaceId: null,
    ownerVersion: 0,
    createdAt: AT,
    updatedAt: AT,
  };
}

function edge(number, parent, child) {
  return {
    id: numbered('sub', number),
    parentSessionId: sessionId(parent),
    childSessionId: sessionId(child),
    tenantId: TENANT,
    kind: 'agent_spawn',
    status: 'idle',
    spawnedBy: ACTOR,
    spawnedAt: AT,
    failureMode: 'delegate',
    completionMode: 'summary_ref',
    workspaceId: null,
    updatedAt: AT,
  };
}
