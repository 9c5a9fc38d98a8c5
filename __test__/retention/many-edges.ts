import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectId, SubSessionId } from 'namzu-native';
import { ALPHA } from '../support/world.js';

const AT = '2026-01-02T03:04:05.678Z';
const ACTOR = { kind: 'user', userId: 'usr_a', tenantId: ALPHA };
const PARENTS = 20;

const numbered = (prefix: string, n: number) => `${prefix}_${`${n}`.padStart(6, '0')}`;

export interface ManyEdges {
  readonly project: ProjectId;
  /** When the edges were changed that are due. */
  readonly old: Date;
  /** When the others were. */
  readonly recent: Date;
  readonly due: readonly SubSessionId[];
}

/**
 * Writes a root past the store: a project with many idle edges, of which every `step`th is
 * old. A folder is where the log of each other child should be: reading it fails.
 */
export function writeManyEdges(root: string, edges: number, step: number): ManyEdges {
  const project = 'prj_many';
  const sessions = join(root, 'projects', project, 'sessions');
  const [old, recent] = [new Date(AT), new Date(Date.parse(AT) + 1_000_000)];
  mkdirSync(sessions, { recursive: true });
  const record = (path: string, value: object) =>
    writeFileSync(path, JSON.stringify(value, null, 2));
  const config = { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 };
  const times = { createdAt: AT, updatedAt: AT };
  const of = { projectId: project, tenantId: ALPHA };
  record(join(root, 'projects', project, 'project.json'), {
    ...{ id: project, tenantId: ALPHA, name: 'Many', config },
    ...times,
  });
  const session = (id: string) => {
    mkdirSync(join(sessions, id));
    record(join(sessions, id, 'session.json'), {
      ...{ id, ...of, status: 'idle', currentActor: ACTOR, previousActors: [] },
      ...{ workspaceId: null, ownerVersion: 0, ...times },
    });
  };
  const parents = Array.from({ length: PARENTS }, (_, n) => numbered('ses_p', n));
  for (const parent of parents) {
    session(parent);
    mkdirSync(join(sessions, parent, 'subsessions'));
  }
  const due: SubSessionId[] = [];
  for (let n = 0; n < edges; n += 1) {
    const [id, child] = [numbered('sub', n), numbered('ses', n)];
    const parent = parents[n % PARENTS] as string;
    const log = join(sessions, child, 'messages.jsonl');
    session(child);
    const isOld = n % step === 0;
    if (isOld) {
      const message = { role: 'user', content: `${n}` };
      const line = { id: numbered('msg', n), sessionId: child, tenantId: ALPHA, message, at: AT };
      writeFileSync(log, `${JSON.stringify(line)}\n`);
      due.push(id as SubSessionId);
    } else {
      mkdirSync(log);
    }
    mkdirSync(join(sessions, parent, 'subsessions', id));
    record(join(sessions, parent, 'subsessions', id, 'subsession.json'), {
      ...{ id, parentSessionId: parent, childSessionId: child, tenantId: ALPHA },
      ...{ kind: 'agent_spawn', status: 'idle', spawnedBy: ACTOR, spawnedAt: AT },
      ...{ failureMode: 'delegate', completionMode: 'summary_ref', workspaceId: null },
      updatedAt: (isOld ? old : recent).toISOString(),
    });
  }
  return { project, old, recent, due };
}
