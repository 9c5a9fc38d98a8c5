// The records that a case starts from: families of one shape, so that two roots differ in how
// many other records there are and in nothing that a question about one family could see.

export const TENANT = /** @type {const} */ ('tnt_bench');
export const ACTOR = /** @type {const} */ ({
  kind: 'agent',
  agentId: 'agt_bench',
  tenantId: TENANT,
});

export const CHILDREN = 2;
export const GRANDCHILDREN = 4;

export const EDGES_PER_FAMILY = CHILDREN + CHILDREN * GRANDCHILDREN;

// Enough writers to keep a store busy while a large root is planted; nothing is timed here.
const WRITERS = 16;

/**
 * @typedef {object} Family a root session, its two children, and their four children each
 * @property {import('namzu-native').Session[]} children
 * @property {import('namzu-native').Session[]} grandchildren
 * @property {import('namzu-native').SubSession[]} edges
 */

/**
 * @typedef {object} Garden
 * @property {import('../baselines/index.mjs').BenchStore} store
 * @property {import('namzu-native').ProjectId} projectId
 * @property {Family[]} families
 */

/**
 * @param {import('../baselines/index.mjs').BenchStore} store
 * @param {number} familyCount
 * @returns {Promise<Garden>}
 */
export async function plant(store, familyCount) {
  const project = await store.createProject({ tenantId: TENANT, name: 'bench' }, TENANT);
  /** @type {Family[]} */
  const families = [];
  const writer = async () => {
    while (families.length < familyCount) {
      /** @type {Family} */
      const family = { children: [], grandchildren: [], edges: [] };
      families.push(family);
      await plantFamily(store, project.id, family);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return { store, projectId: project.id, families };
}

async function plantFamily(store, projectId, family) {
  const delegate = async (parent) => {
    const child = await newSession(store, projectId);
    family.edges.push(await newEdge(store, parent.id, child.id));
    return child;
  };
  const root = await newSession(store, projectId);
  for (let i = 0; i < CHILDREN; i += 1) {
    const child = await delegate(root);
    family.children.push(child);
    for (let j = 0; j < GRANDCHILDREN; j += 1) family.grandchildren.push(await delegate(child));
  }
}

export function newSession(store, projectId) {
  return store.createSession({ projectId, currentActor: ACTOR }, TENANT);
}

export function newEdge(store, parentSessionId, childSessionId) {
  const edge = { parentSessionId, childSessionId, kind: 'agent_spawn', spawnedBy: ACTOR };
  return store.createSubSession(edge, TENANT);
}

/**
 * The record of a session that nothing has happened to yet.
 *
 * @template At
 * @param {string} id
 * @param {string} projectId
 * @param {At} at when it was created
 */
export function idleSession(id, projectId, at) {
  return {
    id,
    projectId,
    tenantId: TENANT,
    status: 'idle',
    currentActor: ACTOR,
    previousActors: [],
    workspaceId: null,
    ownerVersion: 0,
    createdAt: at,
    updatedAt: at,
  };
}

/**
 * A message of about 260 bytes, as JSON.
 *
 * @param {number} sequence
 * @returns {import('namzu-native').Message}
 */
export function message(sequence) {
  const text = 'The reservation can be changed until 24 hours before departure. ';
  return {
    role: sequence % 2 === 0 ? 'user' : 'assistant',
    content: `${sequence}: ${text.repeat(3)}`.slice(0, 205),
    timestamp: 1_750_000_000_000 + sequence,
  };
}

/**
 * @param {import('namzu-native').SessionId} sessionId
 * @param {number} sequence
 * @returns {import('namzu-native').SessionSummaryRef}
 */
export function summary(sessionId, sequence) {
  const at = new Date(1_750_000_000_000 + sequence);
  return {
    id: `sum_bench${sequence}`,
    sessionRef: sessionId,
    tenantId: TENANT,
    outcome: { status: 'succeeded', verdict: 'rebooked' },
    deliverables: [
      { kind: 'file', id: 'del_bench', path: 'out/ticket.pdf', contentHash: 'ab12', sizeBytes: 9 },
    ],
    agentSummary: 'Rebooked the passenger on the morning flight and confirmed the seat.',
    keyDecisions: [{ at, summary: 'chose the direct flight' }],
    at,
    materializedBy: 'kernel',
  };
}
