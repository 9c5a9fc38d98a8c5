import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { script } from './support/script.js';

const USES = [
  'nothing',
  'read',
  'write',
  'write and read',
  'fail to write',
  'write in a thread',
] as const;

describe.each(['full', 'relaxed'])('a process with an open store, durability %s', (durability) => {
  it.each(USES)('ends by itself after: %s', async (use) => {
    const args = [script('idle.mjs'), tempRoot(), durability, use];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    // One that does not end runs into the time limit of the test.
    const [code, signal] = await once(child, 'exit');
    expect({ code, signal }).toStrictEqual({ code: 0, signal: null });
  });
});
