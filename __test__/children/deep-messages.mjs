// Appends messages of several depths, or reads what another runtime appended. Usage:
// deep-messages.mjs <write | read> <empty folder>
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSessionStore } from '../../index.mjs';

const TENANT = 'tnt_deep';
const DEPTHS = [10, 1_000, 1_999, 2_000, 5_000, 100_000];
const ACCEPTED = [10, 1_000, 1_999];

const [task, folder] = process.argv.slice(2);
const store = new DiskSessionStore({ rootDir: join(folder, 'root') });
const note = join(folder, 'session');

function messageOf(depth) {
  let deep = {};
  for (let level = 1; level < depth; level += 1) deep = { deep };
  return { role: 'user', content: String(depth), deep };
}

async function write() {
  const project = await store.createProject({ tenantId: TENANT, name: 'Deep' }, TENANT);
  const { id } = await store.createSession({ projectId: project.id, currentActor: null }, TENANT);
  const accepted = [];
  for (const depth of DEPTHS) {
    try {
      await store.appendMessage(id, messageOf(depth), TENANT);
      accepted.push(depth);
    } catch (error) {
      assert.equal(error.name, 'InvalidArgumentError');
    }
  }
  assert.deepEqual(accepted, ACCEPTED);
  writeFileSync(note, id);
}

async function read() {
  const messages = await store.loadMessages(readFileSync(note, 'utf8'), TENANT);
  const expected = ACCEPTED.map((depth) => JSON.stringify(messageOf(depth)));
  assert.deepEqual(
    messages.map((message) => JSON.stringify(message)),
    expected,
  );
}

await (task === 'write' ? write() : read());
await store.close();
console.log(`${task} on Node.js ${process.version}: ok`);
