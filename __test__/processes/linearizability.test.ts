import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DiskSessionStore, type Durability } from 'namzu-native';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, present, World } from '../support/world.js';
import { isLinearizable, type Recorded, type Step } from './support/linearizability.js';
import { script } from './support/script.js';
import { seeded, sleep } from './support/seed.js';

const DURABILITIES: readonly Durability[] = ['full', 'relaxed'];

interface Setting {
  readonly processes: number;
  /** None: the process's own thread. */
  readonly threads: number;
  /** At once in each thread. */
  readonly callers: number;
  readonly calls: number;
  readonly kill: boolean;
}

type Line = { readonly call: string; readonly step: Step } & (
  | { readonly called: number }
  | { readonly answered: number }
);

/** Runs callers and answers what they recorded. */
async function recorded(
  args: readonly (string | number)[],
  killAfter: number | null,
): Promise<Line[]> {
  const child = spawn(process.execPath, [script('recorded-calls.mjs'), ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (text === '' && killAfter !== null) void sleep(killAfter).then(() => child.kill('SIGKILL'));
    text += chunk;
  });
  const [code] = await once(child, 'close');
  if (killAfter === null) expect(code, 'exit code of the callers').toBe(0);
  // A line that the end of the process cut off was no acknowledgement.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

function historyOf(lines: readonly Line[]): Recorded[] {
  const history = new Map<string, Recorded>();
  for (const { call, step, ...time } of lines) {
    if ('called' in time) history.set(call, { step, called: time.called, answered: null });
    else history.set(call, { ...present(history.get(call)), step, answered: time.answered });
  }
  return [...history.values()];
}

describe.each(DURABILITIES)('reads, writes and compare-and-set, durability %s', (durability) => {
  it.each<[string, Setting]>([
    ['processes', { processes: 4, threads: 0, callers: 2, calls: 100, kill: false }],
    ['worker threads', { processes: 1, threads: 4, callers: 2, calls: 100, kill: false }],
    ['threads of processes', { processes: 2, threads: 2, callers: 2, calls: 80, kill: false }],
    [
      'processes that are killed',
      { processes: 4, threads: 0, callers: 2, calls: 9_999, kill: true },
    ],
  ])(
    'of %s are linearizable',
    async (title, setting) => {
      const { random, seed } = seeded(`history of ${title}, ${durability}`);
      const rounds = setting.kill ? 3 : 1;
      for (let round = 0; round < rounds; round += 1) {
        const root = tempRoot();
        const store = new DiskSessionStore({ rootDir: root });
        const { id } = await (await World.in(store)).session();
        const origin = process.hrtime.bigint();
        const { processes, threads, callers, calls, kill } = setting;
        const lines = await Promise.all(
          Array.from({ length: processes }, (_, i) =>
            recorded(
              [
                root,
                id,
                calls,
                callers,
                threads,
                durability,
                `${origin}`,
                seed + round * 100 + i * 10,
              ],
              kill ? random.below(60) : null,
            ),
          ),
        );
        const called = Number(process.hrtime.bigint() - origin);
        const seen = present(await store.getSession(id, ALPHA)).ownerVersion;
        const last: Recorded = { step: { do: 'read', seen }, called, answered: called + 1 };
        const history = [...historyOf(lines.flat()), last];
        expect(history.length, 'calls were recorded').toBeGreaterThan(processes);
        const set = history.filter(
          ({ step }) => step.do === 'compare and set' && step.seen === null,
        );
        expect(set.length, 'some compare-and-set won').toBeGreaterThan(0);
        const holds = isLinearizable(history, 0);
        expect(holds, holds ? '' : `round ${round}: ${JSON.stringify(history)}`).toBe(true);
      }
    },
    60_000,
  );
});
