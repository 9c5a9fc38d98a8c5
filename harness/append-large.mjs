// A soak: several processes append large messages to one session, 1.6 GB in all, and every line of
// the log is checked afterwards: whole, none missing, and each writer's in its order.
// Usage, after `npm run build`: node harness/append-large.mjs [writers] [messages] [bytes] [durability]

import { execFile } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DiskSessionStore } from 'namzu-native';

const [writers = '8', messages = '1000', bytes = '200000', durability = 'full'] =
  process.argv.slice(2);
const appender = fileURLToPath(
  new URL('../__test__/processes/children/appender.mjs', import.meta.url),
);
const tenant = 'tnt_alpha';

/** Fails unless the log holds every message of every writer. */
async function check(log) {
  const next = new Map();
  const ids = new Set();
  const input = createReadStream(log, { highWaterMark: 1 << 20 });
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const { id, message } = JSON.parse(line);
    ids.add(id);
    const writer = message.content.slice(0, message.content.indexOf(' '));
    const n = next.get(writer) ?? 0;
    next.set(writer, n + 1);
    const expected = `${writer} ${n} `.padEnd(Number(bytes), String.fromCharCode(97 + (n % 26)));
    if (message.content !== expected) {
      throw new Error(`writer ${writer}: message ${n} is ${message.content.slice(0, 40)}…`);
    }
  }
  const counts = [...next.values()];
  if (counts.length !== Number(writers) || counts.some((count) => count !== Number(messages))) {
    throw new Error(`messages of each writer: ${JSON.stringify([...next])}`);
  }
  if (ids.size !== writers * messages) throw new Error(`only ${ids.size} different ids`);
}

const rootDir = mkdtempSync(join(tmpdir(), 'namzu-append-large-'));
try {
  const store = new DiskSessionStore({ rootDir });
  const project = await store.createProject({ tenantId: tenant, name: 'soak' }, tenant);
  const session = await store.createSession({ projectId: project.id, currentActor: null }, tenant);
  const started = Date.now();
  await Promise.all(
    Array.from({ length: Number(writers) }, (_, writer) => {
      const args = [appender, rootDir, session.id, messages, bytes, durability, String(writer)];
      return promisify(execFile)(process.execPath, args);
    }),
  );
  const seconds = (Date.now() - started) / 1_000;
  await check(join(rootDir, 'projects', project.id, 'sessions', session.id, 'messages.jsonl'));
  const megabytes = (writers * messages * bytes) / 1e6;
  console.log(
    `${writers * messages} messages of ${bytes} bytes by ${writers} processes (${durability}): ` +
      `${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s, every line whole and in order`,
  );
} finally {
  rmSync(rootDir, { recursive: true, force: true });
}
