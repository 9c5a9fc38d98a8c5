// What an application does with the package, as an ES module.
import { createUserMessage, DiskSessionStore, TenantIsolationError } from 'namzu-native';

const store = new DiskSessionStore({ rootDir: process.argv[2] });
const project = await store.createProject({ tenantId: 'tnt_a', name: 'Installed' }, 'tnt_a');
const session = await store.createSession({ projectId: project.id, currentActor: null }, 'tnt_a');
await store.appendMessage(session.id, createUserMessage('Hello'), 'tnt_a');
const refused = await store.loadMessages(session.id, 'tnt_b').catch((error) => error);
await store.close();
console.log(
  JSON.stringify({ session: session.id, isolated: refused instanceof TenantIsolationError }),
);
