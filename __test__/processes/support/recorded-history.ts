import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DiskSessionStore, type Durability } from 'namzu-native';
import { expect, onTestFinished } from 'vitest';
import type { Prng } from '../../support/prng.js';
import { tempRoot } from '../../support/temp-root.js';
import { ALPHA, present, World } from '../../support/world.js';
import type { Recorded, Step } from './linearizability.js';
import { script } from './script.js';
import { sleep } from './seed.js';

export interface Setting {
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
  const [code, signal] = await once(child, 'close');
  // One that was to be killed may have been done before; it may not have ended in another way.
  const ends = killAfter === null ? ['0'] : ['0', 'SIGKILL'];
  expect(ends, 'how the callers ended').toContain(String(signal ?? code));
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

/**
 * What the callers of a setting did to a fresh root, with a last read of this process. Where they
 * are killed, that is within 60 milliseconds of their first call.
 */
export async function recordedHistory(
  setting: Setting,
  durability: Durability,
  random: Prng,
  seed: number,
): Promise<Recorded[]> {
  const root = tempRoot();
  const store = new DiskSessionStore({ rootDir: root });
  const { id } = await (await World.in(store)).session();
  const origin = process.hrtime.bigint();
  const { processes, threads, callers, calls, kill } = setting;
  const lines = await Promise.all(
    Array.from({ length: processes }, (_, i) =>
      recorded(
        [root, id, calls, callers, threads, durability, `${origin}`, seed + i * 10],
        kill ? random.below(60) : null,
      ),
    ),
  );
  const called = Number(process.hrtime.bigint() - origin);
  const seen = present(await store.getSession(id, ALPHA)).ownerVersion;
  await store.close();
  const last: Recorded = { step: { do: 'read', seen }, called, answered: called + 1 };
  return [...historyOf(lines.flat()), last];
}
