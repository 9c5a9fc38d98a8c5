/**
 * Archives, evicts and restores a session with a large log, and checks that it comes back to
 * the byte and that the peak of the memory in use stays below the log's size plus 64 MiB.
 *
 * Usage: node scripts/soak/large-archive.mjs [MiB]   (600 when absent; needs four times that disk)
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  WorkspaceBackendRegistry,
} from '../../index.mjs';

const MIB = 1 << 20;
const wanted = Number(process.argv[2] ?? 600) * MIB;
const tenant = 'tnt_soak';
const actor = { kind: 'user', userId: 'usr_soak', tenantId: tenant };
const rootDir = mkdtempSync(join(tmpdir(), 'namzu-native-soak-'));

try {
  const sessionStore = new DiskSessionStore({ rootDir });
  const project = await sessionStore.createProject({ tenantId: tenant, name: 'Soak' }, tenant);
  const session = () =>
    sessionStore.createSession({ projectId: project.id, currentActor: actor }, tenant);
  const [parent, child] = [await session(), await session()];
  const edge = await sessionStore.createSubSession(
    {
      parentSessionId: parent.id,
      childSessionId: child.id,
      kind: 'agent_spawn',
      spawnedBy: actor,
    },
    tenant,
  );
  await sessionStore.updateSubSession({ ...edge, status: 'idle' }, tenant);
  const manager = new ArchivalManager({
    sessionStore,
    workspaceRegistry: new WorkspaceBackendRegistry(),
    archiveBackend: new DiskArchiveBackend({ rootDir }),
  });
  const file = join(rootDir, 'projects', project.id, 'sessions', child.id, 'messages.jsonl');
  const bytes = writeLog(file, child.id);
  const before = await digest(file);
  const idle = process.memoryUsage.rss();

  await timed('archived', () => manager.archive(edge.id, tenant, { evict: true }));
  assert.ok(!existsSync(file), 'the log is in the archive only');
  report('peak above idle', `${((peak() - idle) / MIB).toFixed(1)} MiB of ${bytes / MIB} MiB`);
  await timed('restored', () => manager.restore(edge.id, tenant));
  await sessionStore.close();
  report('peak above idle', `${((peak() - idle) / MIB).toFixed(1)} MiB of ${bytes / MIB} MiB`);
  assert.equal(await digest(file), before, 'the log is back to the byte');
  assert.ok(peak() - idle < bytes + 64 * MIB, 'memory stays below the log and 64 MiB');
} finally {
  rmSync(rootDir, { recursive: true, force: true });
}

/** Writes lines as the store does, past the store: it would take its time. */
function writeLog(file, sessionId) {
  const content = 'The quick brown fox jumps over the lazy dog. '.repeat(22);
  const at = new Date().toISOString();
  let count = 0;
  let bytes = 0;
  while (bytes < wanted) {
    let text = '';
    for (let n = 0; n < 4000; n += 1, count += 1) {
      const id = `msg_${String(count).padStart(12, '0')}`;
      const message = { role: 'user', content, n: count };
      text += `${JSON.stringify({ id, sessionId, tenantId: tenant, message, at })}\n`;
    }
    appendFileSync(file, text);
    bytes = statSync(file).size;
  }
  return bytes;
}

async function digest(file) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex');
}

/** The most memory that was in use so far, in bytes. */
function peak() {
  return process.resourceUsage().maxRSS * 1024;
}

async function timed(what, work) {
  const started = performance.now();
  await work();
  report(what, `in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

function report(what, text) {
  console.log(`${what.padEnd(16)} ${text}`);
}
