import type { ProjectId, SessionId, SubSessionId, TenantId } from 'namzu-native';
import { projectFile, sessionFile, subSessionFile } from './paths.js';
import { writeText } from './tree.js';
import { ALPHA, userOf } from './world.js';

const LONG_AGO = '2020-01-01T00:00:00.000Z';

/** Puts records into a root as the format document draws them, without any store. */
export class HandWrittenRoot {
  constructor(readonly dir: string) {}

  async project(id: ProjectId, tenantId: TenantId = ALPHA): Promise<void> {
    await this.#write(projectFile(id), {
      id,
      tenantId,
      name: id,
      config: { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 },
      createdAt: LONG_AGO,
      updatedAt: LONG_AGO,
    });
  }

  async session(projectId: ProjectId, id: SessionId, change: object = {}): Promise<void> {
    await this.#write(sessionFile({ id, projectId }), {
      id,
      projectId,
      tenantId: ALPHA,
      status: 'idle',
      currentActor: null,
      previousActors: [],
      workspaceId: null,
      ownerVersion: 0,
      createdAt: LONG_AGO,
      updatedAt: LONG_AGO,
      ...change,
    });
  }

  async edge(
    projectId: ProjectId,
    parentSessionId: SessionId,
    childSessionId: SessionId,
    id: SubSessionId,
    change: object = {},
  ): Promise<void> {
    await this.#write(subSessionFile({ id: parentSessionId, projectId }, { id }), {
      id,
      parentSessionId,
      childSessionId,
      tenantId: ALPHA,
      kind: 'agent_spawn',
      status: 'pending',
      spawnedBy: userOf(ALPHA),
      spawnedAt: LONG_AGO,
      failureMode: 'delegate',
      completionMode: 'summary_ref',
      workspaceId: null,
      updatedAt: LONG_AGO,
      ...change,
    });
  }

  #write(path: string, record: object): Promise<void> {
    return writeText(this.dir, path, JSON.stringify(record, null, 2));
  }
}
