// The obvious sweep, as a competent Node developer writes it with node:fs/promises: reads every
// edge of a project, and archives those that were idle for too long, the longest idle first. The
// bundles hold the same files with the same checksums as ours; records and markers are written
// beside and renamed. It never syncs and takes no lock, as the obvious store.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mintId } from './mint-id.mjs';

const FINISHED = new Set(['idle', 'merged', 'merge_rejected', 'failed']);

/**
 * @param {string} rootDir
 * @param {string} projectId
 * @param {string} tenantId
 * @param {number} idleTtl how long an edge may be idle, in milliseconds
 */
export async function obviousSweep(rootDir, projectId, tenantId, idleTtl) {
  const sessionsDir = join(rootDir, 'projects', projectId, 'sessions');
  const edges = [];
  for (const session of await readdir(sessionsDir)) {
    const folder = join(sessionsDir, session, 'subsessions');
    for (const id of (await orNull(readdir(folder))) ?? []) {
      const path = join(folder, id, 'subsession.json');
      edges.push({ path, edge: JSON.parse(await readFile(path, 'utf8')) });
    }
  }
  const due = edges
    .filter(({ edge }) => edge.tenantId === tenantId && FINISHED.has(edge.status))
    .filter(({ edge }) => Date.now() - Date.parse(edge.updatedAt) > idleTtl)
    .sort((a, b) => Date.parse(a.edge.updatedAt) - Date.parse(b.edge.updatedAt));
  const archived = [];
  for (const { path } of due) archived.push(await archive(rootDir, sessionsDir, path));
  return archived;
}

async function archive(rootDir, sessionsDir, path) {
  const edge = JSON.parse(await readFile(path, 'utf8'));
  if (!FINISHED.has(edge.status)) throw new Error(`Sub-session ${edge.id} is ${edge.status}`);
  const { id: subSessionId, childSessionId: sessionId, tenantId } = edge;
  const child = join(sessionsDir, sessionId);
  const session = JSON.parse(await readFile(join(child, 'session.json'), 'utf8'));
  if (session.tenantId !== tenantId) throw new Error(`Session ${sessionId} is another tenant's`);
  const log = (await orNull(readFile(join(child, 'messages.jsonl'), 'utf8'))) ?? '';
  const lines = log.split('\n').filter((line) => line !== '');
  const messages = lines.map((line) => JSON.parse(line));
  const summary = await orNull(readFile(join(child, 'summary.json'), 'utf8'));

  const archiveRef = mintId('arc');
  const bundle = join(rootDir, 'archive', archiveRef);
  await mkdir(bundle, { recursive: true });
  const files = {};
  const write = async (name, text) => {
    await writeFile(join(bundle, name), text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    files[name] = { bytes: Buffer.byteLength(text), sha256 };
  };
  await write('messages.jsonl', messages.map((one) => `${JSON.stringify(one)}\n`).join(''));
  if (summary !== null) await write('summary.json', indented({ summary: JSON.parse(summary) }));
  await write('subsession.json', indented({ subSessionId, sessionId, tenantId }));
  const archivedAt = new Date();
  await put(join(bundle, 'archive.json'), { archiveRef, archivedAt, files });
  const status = 'archived';
  await put(path, { ...edge, status, archiveRef, archivedAt, updatedAt: archivedAt });
  return { subSessionId, sessionId, tenantId, archiveRef, archivedAt };
}

async function put(path, record) {
  await writeFile(`${path}.tmp`, indented(record));
  await rename(`${path}.tmp`, path);
}

function indented(record) {
  return JSON.stringify(record, null, 2);
}

async function orNull(reading) {
  try {
    return await reading;
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
