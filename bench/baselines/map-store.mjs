// The plain-JavaScript memory store: one Map a record kind. It keeps the promise that a
// returned value is the caller's own by copying records field by field (several times as fast
// as structuredClone) and by holding messages as JSON text. Linkage questions scan the edges.

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

export class MapStore {
  #projects = new Map();
  #sessions = new Map();
  #edges = new Map();
  #messages = new Map();
  #summaries = new Map();

  async createProject(params, tenantId) {
    requireTenant(params.tenantId, tenantId, `project(name=${params.name})`);
    const project = newProject(params);
    this.#projects.set(project.id, project);
    return copyProject(project);
  }

  async getProject(projectId, tenantId) {
    const project = this.#projects.get(projectId);
    if (project === undefined) return null;
    requireTenant(project.tenantId, tenantId, `project(${projectId})`);
    return copyProject(project);
  }

  async updateProject(projectId, config, tenantId) {
    const project = this.#projects.get(projectId);
    if (project === undefined) return null;
    requireTenant(project.tenantId, tenantId, `project(${projectId})`);
    const updatedAt = new Date();
    const changed = { ...project, config: { ...project.config, ...config }, updatedAt };
    this.#projects.set(projectId, changed);
    return copyProject(changed);
  }

  async listProjects(tenantId, { limit = 100 } = {}) {
    const own = [...this.#projects.values()].filter((project) => project.tenantId === tenantId);
    return { items: own.sort(byCreation).slice(0, limit).map(copyProject) };
  }

  async listSessionsByProject(projectId, tenantId, { limit = 100 } = {}) {
    const project = this.#projects.get(projectId);
    if (project === undefined) return { items: [] };
    requireTenant(project.tenantId, tenantId, `project(${projectId})`);
    const own = [...this.#sessions.values()].filter((session) => session.projectId === projectId);
    return { items: own.sort(byCreation).slice(0, limit).map(copySession) };
  }

  async createSession(params, tenantId) {
    const project = this.#projects.get(params.projectId);
    if (project === undefined) throw notFound(`Project ${params.projectId}`);
    requireTenant(project.tenantId, tenantId, `project(${params.projectId})`);
    const session = newSession(params, tenantId);
    this.#sessions.set(session.id, copySession(session));
    return session;
  }

  async getSession(sessionId, tenantId) {
    const session = this.#find(sessionId, tenantId);
    return session === undefined ? null : copySession(session);
  }

  async updateSession(session, tenantId, expectedOwnerVersion) {
    requireTenant(session.tenantId, tenantId, `session(${session.id}) payload`);
    const stored = this.#require(session.id, tenantId);
    if (expectedOwnerVersion !== undefined && stored.ownerVersion !== expectedOwnerVersion) {
      throw new Error(`Session ${session.id} is at version ${stored.ownerVersion}`);
    }
    this.#sessions.set(session.id, { ...copySession(session), updatedAt: new Date() });
  }

  async deleteSession(sessionId, tenantId) {
    if (this.#find(sessionId, tenantId) === undefined) return;
    for (const { edge } of this.#edges.values()) {
      if (edge.parentSessionId === sessionId || edge.childSessionId === sessionId) {
        throw new Error(`Session ${sessionId} has attached sub-sessions`);
      }
    }
    this.#sessions.delete(sessionId);
    this.#messages.delete(sessionId);
    this.#summaries.delete(sessionId);
  }

  async createSubSession(params, tenantId) {
    this.#require(params.parentSessionId, tenantId);
    this.#require(params.childSessionId, tenantId);
    const edge = newSubSession(params);
    this.#edges.set(edge.id, { edge: copyEdge(edge), tenantId });
    return edge;
  }

  async getSubSession(subSessionId, tenantId) {
    const held = this.#edges.get(subSessionId);
    if (held === undefined) return null;
    requireTenant(held.tenantId, tenantId, `sub-session(${subSessionId})`);
    return copyEdge(held.edge);
  }

  async updateSubSession(edge, tenantId) {
    const held = this.#edges.get(edge.id);
    if (held === undefined) throw notFound(`Sub-session ${edge.id}`);
    requireTenant(held.tenantId, tenantId, `sub-session(${edge.id})`);
    this.#edges.set(edge.id, { edge: { ...copyEdge(edge), updatedAt: new Date() }, tenantId });
  }

  async deleteSubSession(subSessionId, tenantId) {
    const held = this.#edges.get(subSessionId);
    if (held === undefined) return;
    requireTenant(held.tenantId, tenantId, `sub-session(${subSessionId})`);
    this.#edges.delete(subSessionId);
  }

  async appendMessage(sessionId, message, tenantId) {
    this.#require(sessionId, tenantId);
    const envelope = newEnvelope(message);
    const log = this.#messages.get(sessionId);
    if (log === undefined) this.#messages.set(sessionId, [envelope]);
    else log.push(envelope);
    return envelope.id;
  }

  async appendMessages(sessionId, messages, tenantId) {
    this.#require(sessionId, tenantId);
    const envelopes = messages.map(newEnvelope);
    const log = this.#messages.get(sessionId);
    if (log === undefined) this.#messages.set(sessionId, envelopes);
    else log.push(...envelopes);
    return envelopes.map(({ id }) => id);
  }

  async replaceMessages(sessionId, messages, tenantId) {
    this.#require(sessionId, tenantId);
    this.#messages.set(sessionId, messages.map(newEnvelope));
  }

  async countMessages(sessionId, tenantId) {
    if (this.#find(sessionId, tenantId) === undefined) return 0;
    return this.#messages.get(sessionId)?.length ?? 0;
  }

  async loadMessages(sessionId, tenantId) {
    if (this.#find(sessionId, tenantId) === undefined) return [];
    return (this.#messages.get(sessionId) ?? []).map(({ text }) => JSON.parse(text));
  }

  async loadSessionMessages(sessionId, tenantId) {
    if (this.#find(sessionId, tenantId) === undefined) return [];
    return (this.#messages.get(sessionId) ?? []).map(({ id, text, at }) => ({
      id,
      sessionId,
      tenantId,
      message: JSON.parse(text),
      at: new Date(at),
    }));
  }

  async getChildren(sessionId, tenantId) {
    if (this.#find(sessionId, tenantId) === undefined) return [];
    return this.#childrenOf(sessionId, tenantId);
  }

  async getAncestry(sessionId, tenantId) {
    if (this.#find(sessionId, tenantId) === undefined) return [];
    return this.#ancestryOf(sessionId, tenantId);
  }

  async drill(sessionId, tenantId) {
    const session = this.#find(sessionId, tenantId);
    if (session === undefined) return null;
    return {
      session: copySession(session),
      children: this.#childrenOf(sessionId, tenantId),
      ancestry: this.#ancestryOf(sessionId, tenantId),
    };
  }

  async recordSummary(summary, tenantId) {
    requireTenant(summary.tenantId, tenantId, `summary(${summary.id}) payload`);
    const session = this.#require(summary.sessionRef, tenantId);
    const existing = this.#summaries.get(summary.sessionRef);
    if (existing !== undefined && existing.id !== summary.id) {
      throw new Error(`Session ${session.id} already has summary ${existing.id}`);
    }
    if (existing === undefined) this.#summaries.set(session.id, copySummary(summary));
    if (ENDED_BY_SUMMARY.has(session.status)) {
      this.#sessions.set(session.id, { ...session, status: 'idle', updatedAt: new Date() });
    }
  }

  async getSummary(sessionId, tenantId) {
    if (this.#find(sessionId, tenantId) === undefined) return null;
    const summary = this.#summaries.get(sessionId);
    return summary === undefined ? null : copySummary(summary);
  }

  #find(sessionId, tenantId) {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) {
      requireTenant(session.tenantId, tenantId, `session(${sessionId})`);
    }
    return session;
  }

  #require(sessionId, tenantId) {
    const session = this.#find(sessionId, tenantId);
    if (session === undefined) throw notFound(`Session ${sessionId}`);
    return session;
  }

  #childrenOf(sessionId, tenantId) {
    const children = [];
    for (const { edge, tenantId: owner } of this.#edges.values()) {
      if (edge.parentSessionId === sessionId && owner === tenantId) children.push(copyEdge(edge));
    }
    return children.sort(bySpawnTime);
  }

  #ancestryOf(sessionId, tenantId) {
    return walkToRoot(sessionId, (childId) => {
      let parent;
      for (const { edge, tenantId: owner } of this.#edges.values()) {
        if (edge.childSessionId !== childId || owner !== tenantId) continue;
        if (parent === undefined || bySpawnTime(edge, parent) < 0) parent = edge;
      }
      return parent;
    });
  }
}

function newEnvelope(message) {
  return { id: mintId('msg'), text: JSON.stringify(message), at: Date.now() };
}

function copyProject(project) {
  return {
    ...project,
    config: { ...project.config },
    createdAt: new Date(project.createdAt),
    updatedAt: new Date(project.updatedAt),
  };
}

function copySession(session) {
  return {
    ...session,
    currentActor: session.currentActor === null ? null : copyActor(session.currentActor),
    previousActors: session.previousActors.map(copyActor),
    createdAt: new Date(session.createdAt),
    updatedAt: new Date(session.updatedAt),
  };
}

function copyEdge(edge) {
  const copy = {
    ...edge,
    spawnedBy: copyActor(edge.spawnedBy),
    spawnedAt: new Date(edge.spawnedAt),
    updatedAt: new Date(edge.updatedAt),
  };
  if (edge.prevArtifactRef !== undefined) copy.prevArtifactRef = copyDated(edge.prevArtifactRef);
  if (edge.archivedAt !== undefined) copy.archivedAt = new Date(edge.archivedAt);
  return copy;
}

function copyActor(actor) {
  if (actor.parentActor === undefined) return { ...actor };
  return { ...actor, parentActor: copyActor(actor.parentActor) };
}

function copySummary(summary) {
  return {
    ...summary,
    outcome: { ...summary.outcome },
    deliverables: summary.deliverables.map(copyDated),
    keyDecisions: summary.keyDecisions.map(copyDated),
    at: new Date(summary.at),
  };
}

function copyDated(value) {
  return value.at === undefined ? { ...value } : { ...value, at: new Date(value.at) };
}
