/**
 * What the look at an opening costs: how long the first answer takes that rests on the index,
 * and one that does not, of roots with a log and an edge for each session, as `@namzu/sdk` writes
 * them. Everything is in the system's cache but where `--cold` is said, which needs root.
 * Usage: node scripts/look-cost.mjs [--cold] [sessions …]
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const TENANT = 'tnt_alpha';
const WHEN = '2020-01-01T00:00:00.000Z';
const SELF = fileURLToPath(import.meta.url);
const id = (prefix, i) => `${prefix}_${String(i).padStart(12, '0')}`;

function write(dir, name, record) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), JSON.stringify(record, null, 2));
}

function generate(root, sessions) {
  const projects = Math.max(1, Math.min(100, Math.floor(sessions / 100)));
  const dates = { createdAt: WHEN, updatedAt: WHEN };
  const config = { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 };
  for (let i = 0; i < projects; i += 1) {
    const project = { id: id('prj', i), tenantId: TENANT, name: 'x', config, ...dates };
    write(join(root, 'projects', project.id), 'project.json', project);
  }
  for (let i = 0; i < sessions; i += 1) {
    const [projectId, session, edge] = [id('prj', i % projects), id('ses', i), id('sub', i)];
    const dir = join(root, 'projects', projectId, 'sessions', session);
    write(dir, 'session.json', {
      ...{ id: session, projectId, tenantId: TENANT, status: 'idle', currentActor: null },
      ...{ previousActors: [], workspaceId: null, ownerVersion: 0, ...dates },
    });
    const message = { role: 'user', content: 'x' };
    const line = { id: 'msg_1', sessionId: session, tenantId: TENANT, message, at: WHEN };
    writeFileSync(join(dir, 'messages.jsonl'), `${JSON.stringify(line)}\n`);
    const spawnedBy = { kind: 'user', userId: 'usr_a', tenantId: TENANT };
    write(join(dir, 'subsessions', edge), 'subsession.json', {
      ...{ id: edge, parentSessionId: session, tenantId: TENANT, kind: 'agent_spawn' },
      ...{
        childSessionId: i % 10 === 9 ? id('ses_leaf', i) : id('ses', i + 1),
        status: 'pending',
        spawnedBy,
      },
      ...{ spawnedAt: WHEN, failureMode: 'delegate', completionMode: 'summary_ref' },
      ...{ workspaceId: null, updatedAt: WHEN },
    });
  }
}

/** Of a process of its own: the milliseconds until the first answer, and memory in MB. */
async function measure(root, call) {
  const { DiskSessionStore } = await import('../index.mjs');
  const store = new DiskSessionStore({ rootDir: root });
  const before = process.memoryUsage().rss;
  const start = performance.now();
  if (call === 'keep') {
    await store.refresh();
    await store.appendMessage(id('ses', 0), { role: 'user', content: 'kept' }, TENANT);
  } else await store[call](id('ses', 5), TENANT);
  const ms = performance.now() - start;
  const mb = (process.memoryUsage().rss - before) / 1e6;
  await store.close();
  console.log(JSON.stringify({ ms, mb }));
}

function measured(root, call, cold) {
  if (cold) {
    spawnSync('sync');
    writeFileSync('/proc/sys/vm/drop_caches', '3');
  }
  const child = spawnSync(process.execPath, [SELF, '--measure', root, call]);
  if (child.status !== 0) throw new Error(`${child.stderr}`);
  const { ms, mb } = JSON.parse(`${child.stdout}`);
  return `${ms.toFixed(1)} ms, ${mb.toFixed(0)} MB`;
}

function main(args) {
  const cold = args.includes('--cold');
  const counts = args.filter((arg) => arg !== '--cold').map(Number);
  for (const sessions of counts.length > 0 ? counts : [1_000, 10_000, 100_000]) {
    const root = mkdtempSync(join(tmpdir(), 'namzu-look-'));
    try {
      generate(root, sessions);
      console.log(`${sessions} sessions`);
      console.log('  first opening    ', measured(root, 'getAncestry', cold));
      measured(root, 'keep', false);
      for (const call of ['getAncestry', 'getSession']) {
        const runs = [1, 2, 3].map(() => measured(root, call, cold));
        console.log(`  ${call.padEnd(17)}`, runs.join('; '));
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  }
}

const [, , first, root, call] = process.argv;
if (first === '--measure') await measure(root, call);
else main(process.argv.slice(2));
