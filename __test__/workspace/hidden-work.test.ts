/** Work in a worktree is seen, whatever git's settings hide: `isDirty` and `keepReason`. */

import { execFile as execFileCallback } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecFile, WorkspaceRef } from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { driverOf, git, repository } from './repositories.js';

const run = promisify(execFileCallback);
/** Git as an application may run it. */
const execFile: ExecFile = (file, args) => run(file, [...args]);

const second = (ms: number) => Math.floor(ms / 1000);

async function worktree(root = repository()) {
  const driver = driverOf(root);
  const ref = await driver.create({ label: 'work' });
  const path = ref.meta.worktreePath as string;
  const reasons = async (of: WorkspaceRef = ref) => [
    await driver.keepReason(of),
    await driverOf(root, { execFile }).keepReason(of),
  ];
  return { root, driver, ref, path, reasons };
}

describe('a change that is not committed is seen', () => {
  it.each([
    ['a new file', (path: string) => writeFileSync(join(path, 'new'), 'x')],
    [
      'a new file in a new folder, with status.showUntrackedFiles=no',
      (path: string) => {
        git(path, 'config', 'status.showUntrackedFiles', 'no');
        mkdirSync(join(path, 'deep', 'er'), { recursive: true });
        writeFileSync(join(path, 'deep', 'er', 'new'), 'x');
      },
    ],
    [
      'a changed file under skip-worktree',
      (path: string) => {
        git(path, 'update-index', '--skip-worktree', 'file');
        writeFileSync(join(path, 'file'), 'changed');
      },
    ],
    [
      'a changed file under assume-unchanged',
      (path: string) => {
        git(path, 'update-index', '--assume-unchanged', 'file');
        writeFileSync(join(path, 'file'), 'changed');
      },
    ],
    [
      'a changed file that a monitor of the file system says nothing of',
      (path: string) => {
        const monitor = join(path, '..', 'monitor');
        writeFileSync(monitor, "#!/bin/sh\nprintf 'token\\0'\n", { mode: 0o755 });
        git(path, 'config', 'core.fsmonitor', monitor);
        git(path, 'config', 'core.fsmonitorHookVersion', '2');
        git(path, 'status');
        writeFileSync(join(path, 'file'), 'changed');
      },
    ],
    [
      'a changed file whose times git is told not to compare',
      async (path: string) => {
        const [file, past] = [join(path, 'file'), new Date(Date.now() - 60_000)];
        git(path, 'config', 'core.trustctime', 'false');
        git(path, 'config', 'core.checkStat', 'minimal');
        utimesSync(file, past, past);
        git(path, 'status');
        const { size, ctimeMs } = statSync(file);
        // Git compares whole seconds, and the clock of files lags a few milliseconds behind.
        await vi.waitUntil(() => second(Date.now() - 100) > second(ctimeMs), { timeout: 5_000 });
        writeFileSync(file, 'x'.repeat(size));
        utimesSync(file, past, past);
      },
    ],
    [
      'what is staged',
      (path: string) => {
        writeFileSync(join(path, 'file'), 'changed');
        git(path, 'add', 'file');
      },
    ],
    ['a deleted file', (path: string) => rmSync(join(path, 'file'))],
  ])('%s', async (_, change) => {
    const { driver, ref, path, reasons } = await worktree();
    expect(await driver.inspect(ref)).toMatchObject({ exists: true, isDirty: false });
    expect(await reasons()).toEqual([null, null]);
    await change(path);
    expect(await driver.inspect(ref)).toMatchObject({ exists: true, isDirty: true });
    expect(await reasons()).toEqual(['uncommitted', 'uncommitted']);
  });

  it('not a file that is ignored, as build output is', async () => {
    const { root, driver, ref, path, reasons } = await worktree();
    appendFileSync(join(root, '.git', 'info', 'exclude'), 'dist/\n');
    mkdirSync(join(path, 'dist'));
    writeFileSync(join(path, 'dist', 'out.js'), 'x');
    expect(await driver.inspect(ref)).toMatchObject({ isDirty: false });
    expect(await reasons()).toEqual([null, null]);
  });

  it('nor the files that a sparse checkout leaves out', async () => {
    const root = repository();
    mkdirSync(join(root, 'kept'));
    mkdirSync(join(root, 'left-out'));
    writeFileSync(join(root, 'kept', 'a'), 'a');
    writeFileSync(join(root, 'left-out', 'b'), 'b');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'folders');
    const { driver, ref, path, reasons } = await worktree(root);
    git(path, 'sparse-checkout', 'set', 'kept');
    expect(await driver.inspect(ref)).toMatchObject({ isDirty: false });
    expect(await reasons()).toEqual([null, null]);
    // Looking left the marks as they were.
    expect(git(path, 'ls-files', '-v')).toContain('S left-out/b');
  });
});

describe('commits that are on no branch are seen', () => {
  it('of a detached head', async () => {
    const { driver, ref, path, reasons } = await worktree();
    git(path, 'commit', '-q', '--allow-empty', '-m', 'on the branch');
    expect(await reasons()).toEqual([null, null]);
    git(path, 'checkout', '-q', '--detach');
    expect(await reasons()).toEqual([null, null]);
    git(path, 'commit', '-q', '--allow-empty', '-m', 'on no branch');
    expect(await driver.inspect(ref)).toMatchObject({ isDirty: false });
    expect(await reasons()).toEqual(['unreachable', 'unreachable']);
    git(path, 'branch', 'rescued');
    expect(await reasons()).toEqual([null, null]);
  });

  it('of a submodule, whose repository goes with the worktree', async () => {
    const [root, library] = [repository(), repository()];
    git(root, 'submodule', '--quiet', 'add', library, 'library');
    git(root, 'config', '-f', '.gitmodules', 'submodule.library.ignore', 'all');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'with a library');
    const { driver, ref, path, reasons } = await worktree(root);
    git(path, 'submodule', '--quiet', 'update', '--init');
    expect(await reasons()).toEqual([null, null]);
    const inside = join(path, 'library');
    git(inside, 'config', 'status.showUntrackedFiles', 'no');
    writeFileSync(join(inside, 'new'), 'x');
    expect(await driver.inspect(ref)).toMatchObject({ isDirty: true });
    expect(await reasons()).toEqual(['uncommitted', 'uncommitted']);
    git(inside, 'add', '.');
    git(inside, 'commit', '-q', '-m', 'never pushed');
    expect(await reasons()).toEqual(['uncommitted', 'uncommitted']);
    git(path, 'add', '--force', 'library');
    git(path, 'commit', '-q', '-m', 'the library as it is here');
    expect(await driver.inspect(ref)).toMatchObject({ isDirty: false });
    expect(await reasons()).toEqual(['unreachable', 'unreachable']);
    git(inside, 'push', '-q', 'origin', 'HEAD:refs/heads/pushed');
    expect(await reasons()).toEqual([null, null]);
    git(inside, 'update-index', '--assume-unchanged', 'file');
    writeFileSync(join(inside, 'file'), 'changed');
    expect(await driver.inspect(ref)).toMatchObject({ isDirty: true });
    expect(await reasons()).toEqual(['uncommitted', 'uncommitted']);
  });
});

it('a lock is seen, and nothing of a worktree that is gone', async () => {
  const { root, driver, ref, path, reasons } = await worktree();
  git(root, 'worktree', 'lock', path);
  expect(await reasons()).toEqual(['locked', 'locked']);
  rmSync(path, { recursive: true });
  expect(await reasons()).toEqual([null, null]);
  git(root, 'worktree', 'unlock', path);
  expect(await reasons()).toEqual([null, null]);
  await driver.dispose(ref);
  expect(await reasons()).toEqual([null, null]);
});
