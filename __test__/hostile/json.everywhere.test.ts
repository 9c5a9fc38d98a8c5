import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DiskArchiveBackend, DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { RemoteStore } from '../processes/support/remote-store.js';
import { managerOf } from '../retention/archive-world.js';
import { diskWorld } from '../support/disk-world.js';
import { intentFile, leaveIntent } from '../support/intents.js';
import {
  messagesFile,
  projectFile,
  sessionDir,
  sessionFile,
  subSessionFile,
  summaryFile,
} from '../support/paths.js';
import { readText, writeText } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

const CHILD = fileURLToPath(new URL('./children/read-everything.mjs', import.meta.url));
/** By how much a process may grow over all of it, in MiB. */
const BOUND = 300;
const DEPTH = 100_000;
const deepOf = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`;
const keys = Array.from({ length: 10_000 }, (_, i) => `"key ${i}":{"n":[${i}]}`).join(',');

/** What is put into an object as keys that nobody knows. */
const HOSTILE: readonly [string, string][] = [
  [`a key ${DEPTH} deep`, `"unknown":${deepOf(DEPTH)}`],
  ['10,000 keys', keys],
  ['10,000 times the same key', Array(10_000).fill('"same":{"n":[1]}').join(',')],
  ['a prototype', '"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}'],
  ['a number of 100,000 digits', `"unknown":[1e999,${'9'.repeat(100_000)}]`],
];

/** The same, no larger than what a journal keeps before it is emptied. */
const FRAMED: readonly [string, string][] = [
  ['a key 20,000 deep', `"unknown":${deepOf(20_000)}`],
  ['10,000 keys', keys],
];

/** A root with a file of every kind that is JSON. */
async function fill() {
  const { world, root } = await diskWorld();
  const { store } = world;
  const [session, child, evicted, source] = [
    await world.session(),
    await world.session(),
    await world.session(),
    await world.session(),
  ];
  for (const { id } of [session, evicted]) {
    await store.appendMessage(id, { role: 'user', content: 'x' }, ALPHA);
    await store.recordSummary(world.summary(id === session.id ? session : evicted), ALPHA);
  }
  const edge = await world.edge(session, child);
  const evictedEdge = await world.change(await world.edge(session, evicted), { status: 'idle' });
  const manager = managerOf(store as DiskSessionStore, new DiskArchiveBackend({ rootDir: root }));
  const { archiveRef } = await manager.archive(evictedEdge.id, ALPHA, { evict: true });
  await store.updateSession({ ...source, status: 'locked' }, ALPHA);
  await (store as DiskSessionStore).close();
  await leaveIntent(root, source, ALPHA, 'x');
  const ids = {
    tenant: ALPHA,
    project: world.project.id,
    session: session.id,
    edge: edge.id,
    evicted: evicted.id,
    evictedEdge: evictedEdge.id,
  };
  return { root, world, session, edge, evicted, source, archiveRef, ids };
}

type Filled = Awaited<ReturnType<typeof fill>>;

/** Adds keys at the end of the outermost object of a file's first record. */
async function add(root: string, file: string, more: string): Promise<void> {
  const text = (await readText(root, file)).trimEnd();
  await writeText(
    root,
    file,
    text.replace(/\}$/, () => `,${more}}`),
  );
}

async function readAll({ root, ids }: Filled) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [CHILD, root, JSON.stringify(ids)],
    {
      timeout: 60_000,
    },
  );
  return JSON.parse(stdout) as {
    answers: Record<string, string>;
    grown: number;
    polluted: boolean;
  };
}

describe('JSON that was built to hurt, in every kind of file at once', () => {
  it.each(HOSTILE)(
    '%s: all is answered, in bounded memory',
    { timeout: 90_000 },
    async (_, more) => {
      const filled = await fill();
      const { root, world, session, edge, evicted, source, archiveRef } = filled;
      for (const file of [
        projectFile(world.project.id),
        sessionFile(session),
        summaryFile(session),
        subSessionFile(session, edge),
        `${sessionDir(evicted)}/evicted.json`,
        intentFile(source),
      ]) {
        await add(root, file, more);
      }
      const config = await readText(root, projectFile(world.project.id));
      const put = () => `"config":{${more},`;
      await writeText(root, projectFile(world.project.id), config.replace(/"config":\s*\{/, put));
      const log = await readText(root, messagesFile(session));
      const message = () => `"message":{${more},`;
      await writeText(root, messagesFile(session), log.replace('"message":{', message));
      // A bundle of the SDK has no digests, so that it is read whatever it says.
      const bundle = `archive/${archiveRef}`;
      const marker = JSON.parse(await readText(root, `${bundle}/archive.json`));
      const plain = { archiveRef: marker.archiveRef, archivedAt: marker.archivedAt };
      await writeText(root, `${bundle}/archive.json`, JSON.stringify(plain, null, 2));
      for (const name of readdirSync(join(root, bundle))) {
        if (name === 'messages.jsonl') {
          const text = await readText(root, `${bundle}/${name}`);
          await writeText(root, `${bundle}/${name}`, text.replace('"message":{', message));
        } else if (!name.startsWith('archive')) await add(root, `${bundle}/${name}`, more);
      }

      const { answers, grown, polluted } = await readAll(filled);
      expect(new Set(Object.values(answers)), JSON.stringify(answers)).toEqual(
        new Set(['answered']),
      );
      expect(grown).toBeLessThan(BOUND);
      expect(polluted).toBe(false);
    },
  );
});

describe('a frame of the journal that is right, and carries a record', () => {
  it.each(FRAMED)(
    'with %s is applied by who comes after its writer was killed',
    { timeout: 90_000 },
    async (_, more) => {
      const filled = await fill();
      const { root, session } = filled;
      await add(root, sessionFile(session), more);
      const before = await readText(root, sessionFile(session));
      const writer = await RemoteStore.start(root);
      await writer.store.updateSession({ ...session, ownerVersion: 5 }, ALPHA);
      await writer.kill();
      const written = await readText(root, sessionFile(session));
      expect(written.length).toBeGreaterThan(more.length / 2);
      const journal = await readText(root, '.store/frames');
      expect(journal).toContain(more.startsWith('"unknown"') ? '"a":' : more.slice(1, 5));
      // As if the machine had stopped before the record was in its place.
      await writeText(root, sessionFile(session), before);
      writeFileSync(join(root, '.store/progress'), '');

      const { answers, grown } = await readAll(filled);
      expect(new Set(Object.values(answers)), JSON.stringify(answers)).toEqual(
        new Set(['answered']),
      );
      expect(grown).toBeLessThan(BOUND);
      const after = new DiskSessionStore({ rootDir: root });
      expect((await after.getSession(session.id, ALPHA))?.ownerVersion).toBe(5);
      const unknown = (text: string) => text.replace(/"(status|updatedAt)": "[^"]*"/g, '');
      expect(unknown(await readText(root, sessionFile(session)))).toBe(unknown(written));
    },
  );
});
