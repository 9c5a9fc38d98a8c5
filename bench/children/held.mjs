// A process of its own that keeps sessions in a memory store; prints what memory it has with them
// and had before, each after the garbage was collected.
// Usage: --expose-gc held.mjs ours|map <sessions>

import process from 'node:process';
import { InMemorySessionStore } from 'namzu-native';
import { MapStore } from '../baselines/map-store.mjs';
import { message, newSession, TENANT } from '../cases/plant.mjs';

const MESSAGES = 10;

const [, , which, sessions] = process.argv;
const store = which === 'ours' ? new InMemorySessionStore() : new MapStore();
const project = await store.createProject({ tenantId: TENANT, name: 'held' }, TENANT);
const before = resident();
for (let i = 0; i < Number(sessions); i += 1) {
  const { id } = await newSession(store, project.id);
  for (let j = 0; j < MESSAGES; j += 1) await store.appendMessage(id, message(j), TENANT);
}
const bytes = resident();
// Held until after the reading.
if ((await store.getProject(project.id, TENANT)) === null) throw new Error('the project is gone');
console.log(JSON.stringify({ before, bytes }));

function resident() {
  // Twice: the first may leave what it was about to finish.
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage.rss();
}
