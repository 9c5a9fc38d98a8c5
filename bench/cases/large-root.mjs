// Roots of any size as the format draws them, written without any store: families of the shape
// that `plant` gives them, so that two roots differ in how many others there are and in nothing
// that a question about one family could see.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ACTOR,
  CHILDREN,
  EDGES_PER_FAMILY,
  GRANDCHILDREN,
  idleSession,
  message,
  summary,
  TENANT,
} from './plant.mjs';

// More than a store looks into one by one to find a session.
const PROJECTS = 40;
const AT = '2026-01-02T03:04:05.678Z';

const numbered = (prefix, i) => `${prefix}_${i.toString(36).padStart(12, '0')}`;
const sessionId = (family, member) => numbered('ses', family * (EDGES_PER_FAMILY + 1) + member);
const edgeId = (family, member) => numbered('sub', family * EDGES_PER_FAMILY + member - 1);

/** The project that is in every large root. */
export const LARGE_ROOT_PROJECT = numbered('prj', 0);

/**
 * The ids of a family: member 0 is its root, then its children, then theirs.
 *
 * @param {number} edges in the root
 * @param {number} i any number; neighbours are far apart in a large root
 */
export function scatteredFamily(edges, i) {
  // The step is a prime: a large root gets no help from being asked the same again and again.
  const family = (i * 7919) % (edges / EDGES_PER_FAMILY);
  return {
    project: numbered('prj', family % PROJECTS),
    child: sessionId(family, 1),
    grandchild: sessionId(family, 1 + CHILDREN),
    edge: edgeId(family, 1),
  };
}

/** The messages that the first child of every family has; it has a summary as well. */
const MESSAGES = 10;

/**
 * The records of a root, without their files.
 *
 * @param {number} edges
 * @returns {Iterable<{ kind: 'project' | 'session' | 'edge', record: any }>}
 */
export function* largeRootRecords(edges) {
  for (let i = 0; i < PROJECTS; i += 1) yield { kind: 'project', record: project(i) };
  for (let family = 0; family < edges / EDGES_PER_FAMILY; family += 1) {
    for (let member = 0; member <= EDGES_PER_FAMILY; member += 1) {
      yield { kind: 'session', record: session(family, member) };
    }
    for (let member = 1; member <= EDGES_PER_FAMILY; member += 1) {
      yield { kind: 'edge', record: edge(family, parentOf(member), member) };
    }
  }
}

/**
 * @param {string} rootDir to be made
 * @param {number} edges a multiple of 10; there are a tenth more sessions
 */
export function writeLargeRoot(rootDir, edges) {
  const projects = [];
  for (let i = 0; i < PROJECTS; i += 1) {
    const folder = join(rootDir, 'projects', numbered('prj', i));
    mkdirSync(join(folder, 'sessions'), { recursive: true });
    writeRecord(join(folder, 'project.json'), project(i));
    projects.push(folder);
  }
  for (let family = 0; family < edges / EDGES_PER_FAMILY; family += 1) {
    writeFamily(join(projects[family % PROJECTS], 'sessions'), family);
  }
}

function writeFamily(folder, family) {
  for (let member = 0; member <= EDGES_PER_FAMILY; member += 1) {
    const home = join(folder, sessionId(family, member));
    mkdirSync(home);
    writeRecord(join(home, 'session.json'), session(family, member));
  }
  const child = sessionId(family, 1);
  writeFileSync(join(folder, child, 'messages.jsonl'), log(child, family));
  writeRecord(join(folder, child, 'summary.json'), {
    ...summary(child, 0),
    id: numbered('sum', family),
  });
  for (let member = 1; member <= EDGES_PER_FAMILY; member += 1) {
    const parent = parentOf(member);
    const home = join(folder, sessionId(family, parent), 'subsessions', edgeId(family, member));
    mkdirSync(home, { recursive: true });
    writeRecord(join(home, 'subsession.json'), edge(family, parent, member));
  }
}

function log(sessionId, family) {
  let text = '';
  for (let i = 0; i < MESSAGES; i += 1) {
    const id = numbered('msg', family * MESSAGES + i);
    const line = { id, sessionId, tenantId: TENANT, message: message(i), at: AT };
    text += `${JSON.stringify(line)}\n`;
  }
  return text;
}

function parentOf(member) {
  return member <= CHILDREN ? 0 : 1 + Math.floor((member - 1 - CHILDREN) / GRANDCHILDREN);
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

function session(family, member) {
  return idleSession(sessionId(family, member), numbered('prj', family % PROJECTS), AT);
}

function edge(family, parent, child) {
  return {
    id: edgeId(family, child),
    parentSessionId: sessionId(family, parent),
    childSessionId: sessionId(family, child),
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
