import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DiskArchiveBackend, DiskSessionStore, type Session, type SubSession } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { managerOf } from '../retention/archive-world.js';
import {
  messagesFile,
  projectFile,
  sessionDir,
  sessionFile,
  subSessionFile,
  summaryFile,
} from '../support/paths.js';
import { tempDir } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { canPlant, copyBeyond, INSIDE, isRoot, OUTSIDE, stateOf } from './plants.js';

const SWAPPER = fileURLToPath(new URL('./children/swapper.mjs', import.meta.url));
const CALLS = process.env.NAMZU_FULL ? 400 : 120;
/** How long calls go on that never met what is swapped; then something is wrong. */
const MEETING_LIMIT_MS = 60_000;
const said = { role: 'user', content: INSIDE } as const;

interface Filled {
  readonly session: Session;
  readonly edge: SubSession;
  readonly bundle: string;
}

type Place = (filled: Filled) => string;

const log: Place = ({ session }) => messagesFile(session);
const record: Place = ({ session }) => sessionFile(session);
const marker: Place = ({ bundle }) => `archive/${bundle}/archive.json`;

/** What is swapped, for what, and whether that is for the full tier alone. */
const SWAPS: readonly [string, Place, 'link' | 'pipe' | 'device' | 'name', 'full'?][] = [
  ['a log, for a link', log, 'link'],
  ['a log, for a pipe', log, 'pipe'],
  ['a log, for a device', log, 'device'],
  ['a log, for another name of one', log, 'name'],
  ['a record, for a link', record, 'link'],
  ['a record, for a pipe', record, 'pipe', 'full'],
  ['a record, for a device', record, 'device', 'full'],
  ['a record, for another name of one', record, 'name'],
  ['the folder of a session, for a link', ({ session }) => sessionDir(session), 'link'],
  ['the folder of projects, for a link', () => 'projects', 'link'],
  ['a project, for a link', ({ session }) => projectFile(session.projectId), 'link', 'full'],
  ['a summary, for another name', ({ session }) => summaryFile(session), 'name', 'full'],
  ['an edge, for a link', ({ session, edge }) => subSessionFile(session, edge), 'link', 'full'],
  ['the journal, for a link', () => '.store/frames', 'link'],
  ['the index, for another name of one', () => '.store/index', 'name', 'full'],
  ['the lock, for a device', () => '.store/lock', 'device', 'full'],
  ["the engine's folder, for a link", () => '.store', 'link'],
  ['a marker of a bundle, for a link', marker, 'link', 'full'],
  ['a bundle, for a link', ({ bundle }) => `archive/${bundle}`, 'link'],
  ['a file of a bundle, for a name', ({ bundle }) => `archive/${bundle}/messages.jsonl`, 'name'],
];

const wanted = SWAPS.filter(
  ([, , kind, tier]) =>
    (isRoot || kind !== 'device') && (tier === undefined || process.env.NAMZU_FULL),
);

async function fill(root: string): Promise<Filled> {
  const store = new DiskSessionStore({ rootDir: root, durability: 'relaxed' });
  const world = await World.in(store);
  const [session, child] = [await world.session(), await world.session()];
  for (const { id } of [session, child]) await store.appendMessage(id, said, ALPHA);
  await store.recordSummary(world.summary(session, { agentSummary: INSIDE }), ALPHA);
  const edge = await world.change(await world.edge(session, child), { status: 'idle' });
  await managerOf(store, new DiskArchiveBackend({ rootDir: root })).archive(edge.id, ALPHA);
  await store.close();
  const [bundle] = readdirSync(join(root, 'archive'));
  return { session, edge, bundle: bundle as string };
}

describe.runIf(canPlant)('what is swapped while a store is at work', { timeout: 120_000 }, () => {
  it.each(wanted)(
    '%s: nothing beyond is read or written, nothing waits',
    async (_, place, kind) => {
      const dir = tempDir();
      const [root, beyond] = [join(dir, 'root'), join(dir, 'beyond')];
      const filled = await fill(root);
      const { session, edge, bundle } = filled;
      copyBeyond(root, beyond);
      mkdirSync(join(dir, 'aside'));
      const before = stateOf(beyond);

      const path = place(filled);
      const swapper = execFile(process.execPath, [
        SWAPPER,
        join(root, path),
        join(beyond, path),
        join(dir, 'aside'),
        kind,
      ]);
      const ended = new Promise((resolve) => swapper.once('exit', resolve));
      await new Promise((resolve, reject) => {
        swapper.stdout?.once('data', resolve);
        swapper.once('exit', reject);
      });
      const answers: string[] = [];
      let refused = 0;
      try {
        // Closing, which has the engine read its own files anew, takes longer.
        const isEngine = path.startsWith('.store');
        const rounds = isEngine ? CALLS / 4 : CALLS;
        // On a busy machine calls may miss what is swapped: they go on until one met it.
        const until = Date.now() + MEETING_LIMIT_MS;
        const isOver = (n: number) =>
          n >= rounds && (isEngine || refused > 0 || Date.now() > until);
        for (let n = 0; !isOver(n); n += 1) {
          const again = new DiskSessionStore({ rootDir: root, durability: 'relaxed' });
          const backend = new DiskArchiveBackend({ rootDir: root, durability: 'relaxed' });
          const calls = [
            again.loadMessages(session.id, ALPHA),
            again.getSession(session.id, ALPHA),
            again.getProject(session.projectId, ALPHA),
            again.getSummary(session.id, ALPHA),
            again.getSubSession(edge.id, ALPHA),
            again.appendMessage(session.id, said, ALPHA),
            again.updateSession(session, ALPHA),
            backend.restore(bundle as 'arc_'),
          ];
          for (const outcome of await Promise.allSettled(calls)) {
            if (outcome.status === 'fulfilled') answers.push(JSON.stringify(outcome.value) ?? '');
            else {
              refused += 1;
              answers.push(`${outcome.reason.name} ${outcome.reason.message}`);
            }
          }
          if (isEngine) await again.close().catch(() => undefined);
        }
      } finally {
        swapper.kill('SIGTERM');
        await ended;
      }
      expect(answers.join('\n')).not.toContain(OUTSIDE);
      // It was swapped indeed, where that is not made good for.
      if (!path.startsWith('.store')) expect(refused).toBeGreaterThan(0);
      expect(stateOf(beyond)).toStrictEqual(before);
    },
  );
});
