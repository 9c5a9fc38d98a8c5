// The obvious durable store, as a competent Node developer writes it with node:fs/promises:
// the same tree of records on disk; a change reads the record, checks it, writes beside and
// renames; a message is one appendFile; a load reads, splits, parses and revives dates.
//
// It remembers where the sessions and edges are that it has created or met, and looks into the
// directories for the others, with a bound on the files that it has open. Like the code one
// usually meets, it never syncs and takes no lock: it may lose answered writes with the power, and
// two concurrent updates may overwrite each other.

import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  byCreation,
  bySpawnTime,
  ENDED_BY_SUMMARY,
  newProject,
  newSession,
  newSubSession,
  notFound,
  requireTenant,
  walkToRoot,
} from './contract.mjs';
import { mintId } from './mint-id.mjs';

export class ObviousStore {
  #projectsDir;
  /** @type {Map<string, string>} session id to the directory of its record */
  #sessionDirs = new Map();
  /** @type {Map<string, string>} edge id to the directory of its record */
  #edgeDirs = new Map();

  /** @param {{ rootDir: string }} config */
  constructor({ rootDir }) {
    this.#projectsDir = join(rootDir, 'projects');
  }

  async createProject(params, tenantId) {
    requireTenant(params.tenantId, tenantId, `project(name=${params.name})`);
    const project = newProject(params);
    const directory = join(this.#projectsDir, project.id);
    await mkdir(directory, { recursive: true });
    await writeRecord(join(directory, 'project.json'), project);
    return project;
  }

  async getProject(projectId, tenantId) {
    const project = await readRecord(join(this.#projectsDir, projectId, 'project.json'));
    if (project === null) return null;
    requireTenant(project.tenantId, tenantId, `project(${projectId})`);
    return revive(project, 'createdAt', 'updatedAt');
  }

  async updateProject(projectId, config, tenantId) {
    const project = await this.getProject(projectId, tenantId);
    if (project === null) return null;
    const updatedAt = new Date();
    const changed = { ...project, config: { ...project.config, ...config }, updatedAt };
    await writeRecord(join(this.#projectsDir, projectId, 'project.json'), changed);
    return changed;
  }

  async listProjects(tenantId, { limit = 100 } = {}) {
    const ids = await list(this.#projectsDir);
    const records = await Promise.all(
      ids.map((id) => readRecord(join(this.#projectsDir, id, 'project.json'))),
    );
    return { items: pageOf(records, tenantId, limit) };
  }

  async listSessionsByProject(projectId, tenantId, { limit = 100 } = {}) {
    if ((await this.getProject(projectId, tenantId)) === null) return { items: [] };
    const folder = join(this.#projectsDir, projectId, 'sessions');
    const ids = await list(folder);
    const records = await Promise.all(
      ids.map((id) => readRecord(join(folder, id, 'session.json'))),
    );
    return { items: pageOf(records, tenantId, limit) };
  }

  async createSession(params, tenantId) {
    const project = await this.getProject(params.projectId, tenantId);
    if (project === null) throw notFound(`Project ${params.projectId}`);
    const session = newSession(params, tenantId);
    const directory = join(this.#projectsDir, session.projectId, 'sessions', session.id);
    await mkdir(directory, { recursive: true });
    await writeRecord(join(directory, 'session.json'), session);
    this.#sessionDirs.set(session.id, directory);
    return session;
  }

  async getSession(sessionId, tenantId) {
    return (await this.#find(sessionId, tenantId))?.session ?? null;
  }

  async updateSession(session, tenantId, expectedOwnerVersion) {
    requireTenant(session.tenantId, tenantId, `session(${session.id}) payload`);
    const { session: stored, directory } = await this.#require(session.id, tenantId);
    if (expectedOwnerVersion !== undefined && stored.ownerVersion !== expectedOwnerVersion) {
      throw new Error(`Session ${session.id} is at version ${stored.ownerVersion}`);
    }
    await writeRecord(join(directory, 'session.json'), { ...session, updatedAt: new Date() });
  }

  async deleteSession(sessionId, tenantId) {
    const found = await this.#find(sessionId, tenantId);
    if (found === null) return;
    for (const edge of await this.#allEdges()) {
      if (edge.parentSessionId === sessionId || edge.childSessionId === sessionId) {
        throw new Error(`Session ${sessionId} has attached sub-sessions`);
      }
    }
    await rm(found.directory, { recursive: true, force: true });
    this.#sessionDirs.delete(sessionId);
  }

  async createSubSession(params, tenantId) {
    const [parent] = await Promise.all([
      this.#require(params.parentSessionId, tenantId),
      this.#require(params.childSessionId, tenantId),
    ]);
    const edge = newSubSession(params);
    const directory = join(parent.directory, 'subsessions', edge.id);
    await mkdir(directory, { recursive: true });
    await writeRecord(join(directory, 'subsession.json'), edgeRecord(edge, tenantId));
    this.#edgeDirs.set(edge.id, directory);
    return edge;
  }

  async getSubSession(subSessionId, tenantId) {
    return (await this.#findEdge(subSessionId, tenantId))?.edge ?? null;
  }

  async updateSubSession(edge, tenantId) {
    const found = await this.#findEdge(edge.id, tenantId);
    if (found === null) throw notFound(`Sub-session ${edge.id}`);
    const record = edgeRecord({ ...edge, updatedAt: new Date() }, tenantId);
    await writeRecord(join(found.directory, 'subsession.json'), record);
  }

  async deleteSubSession(subSessionId, tenantId) {
    const found = await this.#findEdge(subSessionId, tenantId);
    if (found === null) return;
    await rm(found.directory, { recursive: true, force: true });
    this.#edgeDirs.delete(subSessionId);
  }

  async appendMessage(sessionId, message, tenantId) {
    const { directory } = await this.#require(sessionId, tenantId);
    const envelope = newEnvelope(sessionId, message, tenantId);
    await appendFile(join(directory, 'messages.jsonl'), linesOf([envelope]));
    return envelope.id;
  }

  async appendMessages(sessionId, messages, tenantId) {
    const { directory } = await this.#require(sessionId, tenantId);
    const envelopes = messages.map((message) => newEnvelope(sessionId, message, tenantId));
    await appendFile(join(directory, 'messages.jsonl'), linesOf(envelopes));
    return envelopes.map(({ id }) => id);
  }

  async replaceMessages(sessionId, messages, tenantId) {
    const { directory } = await this.#require(sessionId, tenantId);
    const envelopes = messages.map((message) => newEnvelope(sessionId, message, tenantId));
    await replaceFile(join(directory, 'messages.jsonl'), linesOf(envelopes));
  }

  async countMessages(sessionId, tenantId) {
    return (await this.#envelopes(sessionId, tenantId)).length;
  }

  async loadMessages(sessionId, tenantId) {
    return (await this.#envelopes(sessionId, tenantId)).map(({ message }) => message);
  }

  async loadSessionMessages(sessionId, tenantId) {
    return (await this.#envelopes(sessionId, tenantId)).map((line) => revive(line, 'at'));
  }

  async getChildren(sessionId, tenantId) {
    const found = await this.#find(sessionId, tenantId);
    return found === null ? [] : await this.#childrenIn(found.directory, tenantId);
  }

  async getAncestry(sessionId, tenantId) {
    const found = await this.#find(sessionId, tenantId);
    return found === null ? [] : await this.#ancestryOf(sessionId, tenantId);
  }

  async drill(sessionId, tenantId) {
    const found = await this.#find(sessionId, tenantId);
    if (found === null) return null;
    const [children, ancestry] = await Promise.all([
      this.#childrenIn(found.directory, tenantId),
      this.#ancestryOf(sessionId, tenantId),
    ]);
    return { session: found.session, children, ancestry };
  }

  async recordSummary(summary, tenantId) {
    requireTenant(summary.tenantId, tenantId, `summary(${summary.id}) payload`);
    const { session, directory } = await this.#require(summary.sessionRef, tenantId);
    const path = join(directory, 'summary.json');
    const existing = await readRecord(path);
    if (existing !== null && existing.id !== summary.id) {
      throw new Error(`Session ${session.id} already has summary ${existing.id}`);
    }
    if (existing === null) await writeRecord(path, summary);
    if (ENDED_BY_SUMMARY.has(session.status)) {
      const ended = { ...session, status: 'idle', updatedAt: new Date() };
      await writeRecord(join(directory, 'session.json'), ended);
    }
  }

  async getSummary(sessionId, tenantId) {
    const found = await this.#find(sessionId, tenantId);
    if (found === null) return null;
    const summary = await readRecord(join(found.directory, 'summary.json'));
    if (summary === null) return null;
    for (const deliverable of summary.deliverables) {
      if (deliverable.at !== undefined) revive(deliverable, 'at');
    }
    for (const decision of summary.keyDecisions) revive(decision, 'at');
    return revive(summary, 'at');
  }

  async #find(sessionId, tenantId) {
    const directory = this.#sessionDirs.get(sessionId) ?? (await this.#searchSession(sessionId));
    if (directory === undefined) return null;
    const session = await readRecord(join(directory, 'session.json'));
    if (session === null) return null;
    requireTenant(session.tenantId, tenantId, `session(${sessionId})`);
    return { session: revive(session, 'createdAt', 'updatedAt'), directory };
  }

  async #require(sessionId, tenantId) {
    const found = await this.#find(sessionId, tenantId);
    if (found === null) throw notFound(`Session ${sessionId}`);
    return found;
  }

  async #searchSession(sessionId) {
    for (const projectId of await list(this.#projectsDir)) {
      const directory = join(this.#projectsDir, projectId, 'sessions', sessionId);
      if ((await readRecord(join(directory, 'session.json'))) !== null) {
        this.#sessionDirs.set(sessionId, directory);
        return directory;
      }
    }
    return undefined;
  }

  async #findEdge(subSessionId, tenantId) {
    if (!this.#edgeDirs.has(subSessionId)) await this.#allEdges();
    const directory = this.#edgeDirs.get(subSessionId);
    if (directory === undefined) return null;
    const record = await readRecord(join(directory, 'subsession.json'));
    if (record === null) return null;
    requireTenant(record.tenantId, tenantId, `sub-session(${subSessionId})`);
    return { edge: reviveEdge(record), directory };
  }

  async #envelopes(sessionId, tenantId) {
    const found = await this.#find(sessionId, tenantId);
    if (found === null) return [];
    const text = await readText(join(found.directory, 'messages.jsonl'));
    if (text === null) return [];
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  async #childrenIn(sessionDir, tenantId) {
    const records = await this.#edgeRecordsIn(sessionDir);
    const own = records.filter((record) => record.tenantId === tenantId);
    return own.map(reviveEdge).sort(bySpawnTime);
  }

  // Which edge names a session as its child is written nowhere: every edge has to be read.
  async #ancestryOf(sessionId, tenantId) {
    const parents = new Map();
    for (const record of await this.#allEdges()) {
      if (record.tenantId !== tenantId) continue;
      const edge = reviveEdge(record);
      const earlier = parents.get(edge.childSessionId);
      if (earlier === undefined || bySpawnTime(edge, earlier) < 0) {
        parents.set(edge.childSessionId, edge);
      }
    }
    return walkToRoot(sessionId, (childId) => parents.get(childId));
  }

  async #allEdges() {
    const projectIds = await list(this.#projectsDir);
    const perProject = projectIds.map(async (projectId) => {
      const sessionsDir = join(this.#projectsDir, projectId, 'sessions');
      const sessionIds = await list(sessionsDir);
      return Promise.all(sessionIds.map((id) => this.#edgeRecordsIn(join(sessionsDir, id))));
    });
    return (await Promise.all(perProject)).flat(2);
  }

  async #edgeRecordsIn(sessionDir) {
    const edgesDir = join(sessionDir, 'subsessions');
    const edgeIds = await list(edgesDir);
    const records = await Promise.all(
      edgeIds.map((id) => {
        this.#edgeDirs.set(id, join(edgesDir, id));
        return withinLimit(() => readRecord(join(edgesDir, id, 'subsession.json')));
      }),
    );
    return records.filter((record) => record !== null);
  }
}

function newEnvelope(sessionId, message, tenantId) {
  return { id: mintId('msg'), sessionId, tenantId, message, at: new Date() };
}

function linesOf(envelopes) {
  return envelopes.map((envelope) => `${JSON.stringify(envelope)}\n`).join('');
}

/** The oldest of a tenant's records. */
function pageOf(records, tenantId, limit) {
  const own = records.filter((record) => record?.tenantId === tenantId);
  const revived = own.map((record) => revive(record, 'createdAt', 'updatedAt'));
  return revived.sort(byCreation).slice(0, limit);
}

function edgeRecord(edge, tenantId) {
  const { id, parentSessionId, childSessionId, ...rest } = edge;
  return { id, parentSessionId, childSessionId, tenantId, ...rest };
}

function reviveEdge({ tenantId: _, ...edge }) {
  if (edge.archivedAt !== undefined) revive(edge, 'archivedAt');
  if (edge.prevArtifactRef?.at !== undefined) revive(edge.prevArtifactRef, 'at');
  return revive(edge, 'spawnedAt', 'updatedAt');
}

function revive(record, ...fields) {
  for (const field of fields) record[field] = new Date(record[field]);
  return record;
}

/** A process may have so many files open, and is given room for others. */
const MOST_OPEN = 256;
let open = 0;
const waiting = [];

async function withinLimit(read) {
  if (open === MOST_OPEN) await new Promise((resume) => waiting.push(resume));
  else open += 1;
  try {
    return await read();
  } finally {
    const next = waiting.shift();
    if (next === undefined) open -= 1;
    else next();
  }
}

async function readRecord(path) {
  const text = await readText(path);
  return text === null ? null : JSON.parse(text);
}

async function readText(path) {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  }
}

let temporaryFiles = 0;

function writeRecord(path, record) {
  return replaceFile(path, JSON.stringify(record, null, 2));
}

async function replaceFile(path, text) {
  temporaryFiles += 1;
  const beside = `${path}.${temporaryFiles}.tmp`;
  await writeFile(beside, text);
  await rename(beside, path);
}

async function list(directory) {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  }
}
