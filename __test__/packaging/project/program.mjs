// A program that a bundler makes one file of. Usage: program.mjs <root>
import {
  createUserMessage,
  DiskSessionStore,
  InMemorySessionStore,
  TenantIsolationError,
} from 'namzu-native';
import { __resetSeenLegacyForTests } from 'namzu-native/testing';

const TENANT = 'tnt_bundled';

async function hello(store) {
  const project = await store.createProject({ tenantId: TENANT, name: 'Bundled' }, TENANT);
  const session = await store.createSession({ projectId: project.id, currentActor: null }, TENANT);
  await store.appendMessage(session.id, createUserMessage('Hello'), TENANT);
  const refused = await store.loadMessages(session.id, 'tnt_other').catch((error) => error);
  const [message] = await store.loadMessages(session.id, TENANT);
  await store.close();
  const { name, details } = refused;
  return [message.content, refused instanceof TenantIsolationError, name, details.requested];
}

__resetSeenLegacyForTests();
const disk = await hello(new DiskSessionStore({ rootDir: process.argv[2] }));
const memory = await hello(new InMemorySessionStore());
console.log(JSON.stringify({ disk, memory }));
