/** A worker thread that stops in the middle of handoffs, for somebody to terminate it. */

import { parentPort, workerData } from 'node:worker_threads';
import { DiskSessionStore, executeSingleHandoff, generateHandoffId } from '../../index.mjs';

const { rootDir, tenant, project, sources } = workerData;
const actor = { kind: 'user', userId: 'usr_a', tenantId: tenant };
const driver = {
  create() {
    parentPort.postMessage('halfway');
    return new Promise((resolve) => setInterval(resolve, 1e9));
  },
};
const store = new DiskSessionStore({ rootDir });
await Promise.all(
  sources.map((sourceSessionId) =>
    executeSingleHandoff(
      {
        store,
        workspaceRegistry: { get: () => driver },
        capacity: { async validateDepth() {} },
        events: {},
      },
      {
        id: generateHandoffId(),
        mode: 'single',
        sourceSessionId,
        tenantId: tenant,
        projectId: project,
        sourceActor: actor,
        recipientActor: actor,
        expectedOwnerVersion: 0,
        createdAt: new Date(),
      },
      tenant,
    ),
  ),
);
