// The contract over any tables that read at once and change in transactions: what the stores on
// SQLite and on LMDB have in common. A call is one transaction, checks included.

import {
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

/**
 * What a database has to offer. Records come back as objects of the caller's own, with dates.
 * An edge's record has its `tenantId` as well.
 *
 * @typedef {object} Tables
 * @property {<T>(change: () => T) => T | Promise<T>} transact all that `change` does, or nothing;
 *   answers when it lasts as long as the database was opened to make it last
 * @property {(kind: Kind, id: string) => any} get a record, or `undefined`
 * @property {(kind: Kind, id: string) => string | undefined} ownerOf the record's tenant, which may
 *   take less than the whole record
 * @property {(kind: Kind, id: string, record: object) => void} put
 * @property {(kind: Kind, id: string) => void} remove
 * @property {(sessionId: string) => any[]} edgesFrom those that have it as their parent
 * @property {(sessionId: string) => any[]} edgesTo those that have it as their child
 * @property {(sessionId: string, envelope: object) => void} addMessage
 * @property {(sessionId: string) => any[]} messages without their envelopes, oldest first
 * @property {(sessionId: string) => any[]} envelopes of the messages, oldest first
 * @property {(sessionId: string) => number} countMessages
 * @property {(sessionId: string) => void} removeMessages
 * @property {() => void | Promise<void>} close
 */

/** @typedef {'project' | 'session' | 'edge' | 'summary'} Kind */

export class TableStore {
  #tables;

  /** @param {Tables} tables */
  constructor(tables) {
    this.#tables = tables;
  }

  async createProject(params, tenantId) {
    requireTenant(params.tenantId, tenantId, `project(name=${params.name})`);
    const project = newProject(params);
    await this.#tables.transact(() => this.#tables.put('project', project.id, project));
    return project;
  }

  async getProject(projectId, tenantId) {
    const project = this.#tables.get('project', projectId);
    if (project === undefined) return null;
    requireTenant(project.tenantId, tenantId, `project(${projectId})`);
    return project;
  }

  async updateProject(projectId, config, tenantId) {
    return this.#tables.transact(() => {
      const project = this.#tables.get('project', projectId);
      if (project === undefined) return null;
      requireTenant(project.tenantId, tenantId, `project(${projectId})`);
      const updatedAt = new Date();
      const changed = { ...project, config: { ...project.config, ...config }, updatedAt };
      this.#tables.put('project', projectId, changed);
      return changed;
    });
  }

  async createSession(params, tenantId) {
    const session = newSession(params, tenantId);
    await this.#tables.transact(() => {
      const owner = this.#tables.ownerOf('project', params.projectId);
      if (owner === undefined) throw notFound(`Project ${params.projectId}`);
      requireTenant(owner, tenantId, `project(${params.projectId})`);
      this.#tables.put('session', session.id, session);
    });
    return session;
  }

  async getSession(sessionId, tenantId) {
    return this.#find(sessionId, tenantId) ?? null;
  }

  async updateSession(session, tenantId, expectedOwnerVersion) {
    requireTenant(session.tenantId, tenantId, `session(${session.id}) payload`);
    await this.#tables.transact(() => {
      const { ownerVersion } = this.#require(session.id, tenantId);
      if (expectedOwnerVersion !== undefined && ownerVersion !== expectedOwnerVersion) {
        throw new Error(`Session ${session.id} is at version ${ownerVersion}`);
      }
      this.#tables.put('session', session.id, { ...session, updatedAt: new Date() });
    });
  }

  async deleteSession(sessionId, tenantId) {
    await this.#tables.transact(() => {
      if (!this.#has(sessionId, tenantId)) return;
      const linked = [this.#tables.edgesFrom(sessionId), this.#tables.edgesTo(sessionId)];
      if (linked.some((edges) => edges.length > 0)) {
        throw new Error(`Session ${sessionId} has attached sub-sessions`);
      }
      this.#tables.remove('session', sessionId);
      this.#tables.remove('summary', sessionId);
      this.#tables.removeMessages(sessionId);
    });
  }

  async createSubSession(params, tenantId) {
    const edge = newSubSession(params);
    await this.#tables.transact(() => {
      this.#requireSession(params.parentSessionId, tenantId);
      this.#requireSession(params.childSessionId, tenantId);
      this.#tables.put('edge', edge.id, { ...edge, tenantId });
    });
    return edge;
  }

  async getSubSession(subSessionId, tenantId) {
    const edge = this.#findEdge(subSessionId, tenantId);
    return edge === undefined ? null : withoutTenant(edge);
  }

  async updateSubSession(edge, tenantId) {
    await this.#tables.transact(() => {
      if (!this.#hasEdge(edge.id, tenantId)) throw notFound(`Sub-session ${edge.id}`);
      this.#tables.put('edge', edge.id, { ...edge, tenantId, updatedAt: new Date() });
    });
  }

  async deleteSubSession(subSessionId, tenantId) {
    await this.#tables.transact(() => {
      if (!this.#hasEdge(subSessionId, tenantId)) return;
      this.#tables.remove('edge', subSessionId);
    });
  }

  async appendMessage(sessionId, message, tenantId) {
    const envelope = newEnvelope(sessionId, message, tenantId);
    await this.#tables.transact(() => {
      this.#requireSession(sessionId, tenantId);
      this.#tables.addMessage(sessionId, envelope);
    });
    return envelope.id;
  }

  async appendMessages(sessionId, messages, tenantId) {
    const envelopes = messages.map((message) => newEnvelope(sessionId, message, tenantId));
    await this.#tables.transact(() => {
      this.#requireSession(sessionId, tenantId);
      for (const envelope of envelopes) this.#tables.addMessage(sessionId, envelope);
    });
    return envelopes.map(({ id }) => id);
  }

  async replaceMessages(sessionId, messages, tenantId) {
    await this.#tables.transact(() => {
      this.#requireSession(sessionId, tenantId);
      this.#tables.removeMessages(sessionId);
      for (const message of messages) {
        this.#tables.addMessage(sessionId, newEnvelope(sessionId, message, tenantId));
      }
    });
  }

  async countMessages(sessionId, tenantId) {
    return this.#has(sessionId, tenantId) ? this.#tables.countMessages(sessionId) : 0;
  }

  async loadMessages(sessionId, tenantId) {
    if (!this.#has(sessionId, tenantId)) return [];
    return this.#tables.messages(sessionId);
  }

  async loadSessionMessages(sessionId, tenantId) {
    if (!this.#has(sessionId, tenantId)) return [];
    return this.#tables.envelopes(sessionId);
  }

  async getChildren(sessionId, tenantId) {
    if (!this.#has(sessionId, tenantId)) return [];
    return this.#childrenOf(sessionId, tenantId);
  }

  async getAncestry(sessionId, tenantId) {
    if (!this.#has(sessionId, tenantId)) return [];
    return this.#ancestryOf(sessionId, tenantId);
  }

  async drill(sessionId, tenantId) {
    const session = this.#find(sessionId, tenantId);
    if (session === undefined) return null;
    return {
      session,
      children: this.#childrenOf(sessionId, tenantId),
      ancestry: this.#ancestryOf(sessionId, tenantId),
    };
  }

  async recordSummary(summary, tenantId) {
    requireTenant(summary.tenantId, tenantId, `summary(${summary.id}) payload`);
    const sessionId = summary.sessionRef;
    await this.#tables.transact(() => {
      const session = this.#require(sessionId, tenantId);
      const existing = this.#tables.get('summary', sessionId);
      if (existing !== undefined && existing.id !== summary.id) {
        throw new Error(`Session ${sessionId} already has summary ${existing.id}`);
      }
      if (existing === undefined) this.#tables.put('summary', sessionId, summary);
      if (ENDED_BY_SUMMARY.has(session.status)) {
        const ended = { ...session, status: 'idle', updatedAt: new Date() };
        this.#tables.put('session', sessionId, ended);
      }
    });
  }

  async getSummary(sessionId, tenantId) {
    if (!this.#has(sessionId, tenantId)) return null;
    return this.#tables.get('summary', sessionId) ?? null;
  }

  async close() {
    await this.#tables.close();
  }

  #find(sessionId, tenantId) {
    const session = this.#tables.get('session', sessionId);
    if (session !== undefined) requireTenant(session.tenantId, tenantId, `session(${sessionId})`);
    return session;
  }

  #require(sessionId, tenantId) {
    const session = this.#find(sessionId, tenantId);
    if (session === undefined) throw notFound(`Session ${sessionId}`);
    return session;
  }

  #has(sessionId, tenantId) {
    const owner = this.#tables.ownerOf('session', sessionId);
    if (owner !== undefined) requireTenant(owner, tenantId, `session(${sessionId})`);
    return owner !== undefined;
  }

  #requireSession(sessionId, tenantId) {
    if (!this.#has(sessionId, tenantId)) throw notFound(`Session ${sessionId}`);
  }

  #hasEdge(subSessionId, tenantId) {
    const owner = this.#tables.ownerOf('edge', subSessionId);
    if (owner !== undefined) requireTenant(owner, tenantId, `sub-session(${subSessionId})`);
    return owner !== undefined;
  }

  #findEdge(subSessionId, tenantId) {
    const edge = this.#tables.get('edge', subSessionId);
    if (edge !== undefined) requireTenant(edge.tenantId, tenantId, `sub-session(${subSessionId})`);
    return edge;
  }

  #childrenOf(sessionId, tenantId) {
    const edges = this.#tables.edgesFrom(sessionId);
    return edges
      .filter((edge) => edge.tenantId === tenantId)
      .map(withoutTenant)
      .sort(bySpawnTime);
  }

  #ancestryOf(sessionId, tenantId) {
    return walkToRoot(sessionId, (childId) => {
      const edges = this.#tables.edgesTo(childId).filter((edge) => edge.tenantId === tenantId);
      return edges.sort(bySpawnTime)[0];
    });
  }
}

function newEnvelope(sessionId, message, tenantId) {
  return { id: mintId('msg'), sessionId, tenantId, message, at: new Date() };
}

function withoutTenant({ tenantId: _, ...edge }) {
  return edge;
}
