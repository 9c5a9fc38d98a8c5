// A project whose sub-sessions are finished, written as the format draws it, without a store:
// one parent, and for each edge a child with a few messages and a summary.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTOR, idleSession, message, summary, TENANT } from './plant.mjs';

const MESSAGES = 10;
const AT = '2026-01-02T03:04:05.678Z';
const PARENT = 'ses_parent';

export const PROJECT = 'prj_finished';

/**
 * @param {string} rootDir to be made
 * @param {number} edges
 */
export function writeFinishedWork(rootDir, edges) {
  const projectDir = join(rootDir, 'projects', PROJECT);
  mkdirSync(join(projectDir, 'sessions', PARENT, 'subsessions'), { recursive: true });
  writeRecord(join(projectDir, 'project.json'), project());
  writeRecord(join(projectDir, 'sessions', PARENT, 'session.json'), session(PARENT));
  for (let i = 0; i < edges; i += 1) {
    const number = i.toString(36).padStart(12, '0');
    const [child, id] = [`ses_${number}`, `sub_${number}`];
    const folder = join(projectDir, 'sessions', child);
    mkdirSync(folder);
    writeRecord(join(folder, 'session.json'), session(child));
    writeRecord(join(folder, 'summary.json'), { ...summary(child, i), id: `sum_${number}` });
    writeFileSync(join(folder, 'messages.jsonl'), log(child, number));
    const edgeDir = join(projectDir, 'sessions', PARENT, 'subsessions', id);
    mkdirSync(edgeDir);
    writeRecord(join(edgeDir, 'subsession.json'), edge(id, child, i));
  }
}

function log(sessionId, number) {
  let text = '';
  for (let i = 0; i < MESSAGES; i += 1) {
    const id = `msg_${number}${i}`;
    const line = { id, sessionId, tenantId: TENANT, message: message(i), at: AT };
    text += `${JSON.stringify(line)}\n`;
  }
  return text;
}

function writeRecord(path, record) {
  writeFileSync(path, JSON.stringify(record, null, 2));
}

function project() {
  return {
    id: PROJECT,
    tenantId: TENANT,
    name: 'finished',
    config: { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 },
    createdAt: AT,
    updatedAt: AT,
  };
}

function session(id) {
  return idleSession(id, PROJECT, AT);
}

function edge(id, childSessionId, i) {
  return {
    id,
    parentSessionId: PARENT,
    childSessionId,
    tenantId: TENANT,
    kind: 'agent_spawn',
    status: 'idle',
    spawnedBy: ACTOR,
    spawnedAt: AT,
    failureMode: 'delegate',
    completionMode: 'summary_ref',
    workspaceId: null,
    updatedAt: new Date(Date.parse(AT) + i).toISOString(),
  };
}
