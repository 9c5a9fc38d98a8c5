// Changes a generated root in several ways; closes the store when it is asked to.
// Usage: change.mjs <root> [close]
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [, , rootDir, close] = process.argv;
const tenant = 'tnt_alpha';
const store = new DiskSessionStore({ rootDir });
await store.appendMessage('ses_000001', { role: 'user', content: 'x' }, tenant);
await store.deleteSubSession('sub_000012', tenant);
await store.deleteSession('ses_000012', tenant);
const session = await store.getSession('ses_000003', tenant);
await store.updateSession({ ...session, ownerVersion: 7 }, tenant);
const spawnedBy = { kind: 'user', userId: 'usr_ada', tenantId: tenant };
const [parentSessionId, childSessionId] = ['ses_000010', 'ses_000020'];
await store.createSubSession(
  { parentSessionId, childSessionId, kind: 'agent_spawn', spawnedBy },
  tenant,
);
if (close !== undefined) await store.close();
console.log('true');
