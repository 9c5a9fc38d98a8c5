/**
 * A message log above V8's longest string: streams it, reads its end, and checks
 * that reading it as one list is refused, and how much memory all that takes.
 *
 * Usage: node scripts/soak/large-log.mjs [MiB]   (600 when absent; needs that much disk)
 */

import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskSessionStore, LogTooLargeError } from '../../index.mjs';

const MIB = 1 << 20;
const wanted = Number(process.argv[2] ?? 600) * MIB;
const tenant = 'tnt_soak';
const rootDir = mkdtempSync(join(tmpdir(), 'namzu-native-soak-'));

try {
  const store = new DiskSessionStore({ rootDir, durability: 'relaxed' });
  const project = await store.createProject({ tenantId: tenant, name: 'Soak' }, tenant);
  const session = await store.createSession({ projectId: project.id, currentActor: null }, tenant);
  const written = writeLog(session);
  const idle = await settled();

  let count = 0;
  let peak = 0;
  const started = performance.now();
  for await (const { message } of store.streamMessages(session.id, tenant)) {
    assert.equal(message.n, count);
    count += 1;
    if (count % 1000 === 0) peak = Math.max(peak, process.memoryUsage.rss());
  }
  const seconds = (performance.now() - started) / 1000;
  assert.equal(count, written.count);
  report('streamed', `${count} messages of ${written.bytes / MIB} MiB in ${seconds.toFixed(1)} s`);
  report('peak above idle', `${((peak - idle) / MIB).toFixed(1)} MiB`);
  assert.ok(peak - idle < 64 * MIB, 'a stream stays under 64 MiB above idle');

  const last = await store.loadMessages(session.id, tenant, { limit: 50 });
  assert.deepEqual(
    last.map(({ n }) => n),
    Array.from({ length: 50 }, (_, index) => count - 50 + index),
  );
  assert.equal(await store.countMessages(session.id, tenant), count);
  if (written.bytes > 0x1fffffe8) {
    await assert.rejects(store.loadMessages(session.id, tenant), LogTooLargeError);
    report('as one list', 'refused, as it should be');
  }
} finally {
  rmSync(rootDir, { recursive: true, force: true });
}

/** Writes lines as the store does, past the store: it would take its time. */
function writeLog(session) {
  const file = join(
    ...[rootDir, 'projects', session.projectId, 'sessions', session.id, 'messages.jsonl'],
  );
  const content = 'The quick brown fox jumps over the lazy dog. '.repeat(22);
  const at = new Date().toISOString();
  let count = 0;
  let bytes = 0;
  while (bytes < wanted) {
    let text = '';
    for (let n = 0; n < 4000; n += 1, count += 1) {
      const id = `msg_${String(count).padStart(12, '0')}`;
      const message = { role: 'user', content, n: count };
      text += `${JSON.stringify({ id, sessionId: session.id, tenantId: tenant, message, at })}\n`;
    }
    appendFileSync(file, text);
    bytes = statSync(file).size;
  }
  return { count, bytes };
}

/** The memory in use when nothing is going on. */
async function settled() {
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return process.memoryUsage.rss();
}

function report(what, text) {
  console.log(`${what.padEnd(16)} ${text}`);
}
