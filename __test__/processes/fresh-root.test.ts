import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { DiskSessionStore } from 'namzu-native';
import { expect, it, onTestFinished } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { script } from './support/script.js';

const PROCESSES = 16;
const ROOTS = 2;

interface Made {
  readonly project: string;
  readonly session: string;
  readonly messageId: string;
}

async function start(root: string): Promise<ChildProcess> {
  const child = fork(script('newcomer.mjs'), [root]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

async function tell<T>(child: ChildProcess, command: object): Promise<T> {
  const answer = once(child, 'message');
  child.send(command);
  const [reply] = (await answer) as [{ value: T } | { error: string }];
  if ('error' in reply) throw new Error(reply.error);
  return reply.value;
}

it.each(Array.from({ length: ROOTS }, (_, i) => i))(
  'processes that open one root that is not there yet all succeed and lose nothing (%i)',
  async () => {
    const root = tempRoot();
    const newcomers = await Promise.all(Array.from({ length: PROCESSES }, () => start(root)));
    const made = await Promise.all(newcomers.map((one) => tell<Made>(one, { step: 'create' })));
    expect(new Set(made.map(({ project }) => project)).size).toBe(PROCESSES);
    for (const seen of await Promise.all(
      newcomers.map((one) => tell<Made[]>(one, { step: 'read', made })),
    )) {
      expect(seen).toStrictEqual(made);
    }
    const later = new DiskSessionStore({ rootDir: root });
    for (const { session, messageId } of made) {
      const messages = await later.loadSessionMessages(session as `ses_${string}`, 'tnt_alpha');
      expect(messages.map(({ id }) => id)).toStrictEqual([messageId]);
    }
  },
  60_000,
);
