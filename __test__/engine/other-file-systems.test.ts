import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { sharedTempDir, tempDir } from '../support/temp-root.js';

const HARNESS = join(import.meta.dirname, '../../harness');
const EVERY_MUTATION = join(HARNESS, 'children/every-mutation.mjs');
const LIMIT = 240_000;

/** Builds the program that changes answers of system calls; why it cannot be used, if so. */
function built(): { program: string; reason?: string } {
  const program = join(sharedTempDir(), 'syscall-answers');
  if (process.platform !== 'linux') return { program, reason: 'it needs Linux' };
  const source = join(HARNESS, 'syscall-answers.c');
  const compiled = spawnSync('gcc', ['-O1', '-o', program, source], { encoding: 'utf8' });
  if (compiled.error !== undefined) return { program, reason: 'there is no gcc' };
  if (compiled.status !== 0) throw new Error(compiled.stderr);
  const tried = spawnSync(program, ['exchange', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? { program } : { program, reason: `refused: ${tried.stderr}` };
}

const { program, reason } = built();

/** Makes every mutation while these calls are changed. */
function mutations(changed: string, durability: string) {
  const args = [changed, process.execPath, EVERY_MUTATION, tempDir(), durability];
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: LIMIT });
  const calls = Number(/(\d+) system calls changed/.exec(stderr)?.[1]);
  if (stdout === '') throw new Error(stderr);
  return { calls, ...(JSON.parse(stdout) as { changes: number; problems: string[] }) };
}

describe.skipIf(reason !== undefined)(
  `a file system with other answers${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    it.each([
      ['exchanges two names by a plain rename', 'exchange', 'full'],
      ['answers EINVAL to the sync of a folder', 'dirsync=22', 'full'],
      ['answers EBADF to the sync of a folder', 'dirsync=9', 'relaxed'],
      ['answers ENOTSUP to the sync of a folder', 'dirsync=95', 'full'],
    ])(
      'takes every mutation where it %s',
      (_, changed, durability) => {
        const { calls, changes, problems } = mutations(changed, durability);
        expect(problems).toStrictEqual([]);
        expect(changes).toBeGreaterThan(20);
        expect(calls).toBeGreaterThan(10);
      },
      LIMIT,
    );

    it(
      'is told of where the sync of a folder fails with EIO',
      () => {
        const args = ['dirsync=5', process.execPath, EVERY_MUTATION, tempDir(), 'full'];
        const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: LIMIT });
        expect(status).not.toBe(0);
        expect(stderr).toMatch(/StoreIoError.* with EIO/);
      },
      LIMIT,
    );
  },
);
