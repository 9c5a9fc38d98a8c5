/** Which worktree a reference names: however its path is spelled, gone, or another's. */

import { execFile as execFileCallback } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type ExecFile,
  type GitWorktreeDriver,
  getRootLogger,
  type WorkspaceRef,
} from 'namzu-native';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { driverOf, folder, git, repository } from './repositories.js';

const run = promisify(execFileCallback);
const execFile: ExecFile = (file, args) => run(file, [...args]);

/** Uses a worktree from its making to its end, and says that each step sees the same one. */
async function useToTheEnd(driver: GitWorktreeDriver, found: string) {
  const ref = await driver.create({ label: 'x' });
  const current = { exists: true, currentRef: 'refs/heads/namzu/x' };
  expect(await driver.inspect(ref)).toEqual({ ...current, isDirty: false });
  writeFileSync(join(ref.meta.worktreePath as string, 'new'), 'x');
  expect(await driver.inspect(ref)).toEqual({ ...current, isDirty: true });
  expect(existsSync(join(found, 'new'))).toBe(true);
  expect(await driver.keepReason(ref)).toBe('uncommitted');
  await driver.dispose(ref);
  expect(existsSync(found)).toBe(false);
  expect(await driver.inspect(ref)).toEqual({
    exists: false,
    currentRef: 'namzu/x',
    isDirty: false,
  });
  await driver.dispose(ref);
}

describe('a worktree is recognized however its path is spelled', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  // A worker of vitest cannot change its directory: `resolve` asks this function.
  const within = (directory: string) => vi.spyOn(process, 'cwd').mockReturnValue(directory);

  it.each([undefined, execFile])('by repoRoot "." (%s)', async (runner) => {
    const root = repository();
    within(root);
    const driver = driverOf('.', runner && { execFile: runner });
    await useToTheEnd(driver, join(root, '.namzu', 'worktrees', 'x'));
  });

  it('by a relative repoRoot and a relative worktreesDir, resolved once', async () => {
    const root = repository();
    within(dirname(root));
    const first = driverOf(basename(root));
    const second = driverOf(basename(root), { worktreesDir: 'trees' });
    within('/');
    await useToTheEnd(first, join(root, '.namzu', 'worktrees', 'x'));
    git(root, 'branch', '-D', 'namzu/x');
    await useToTheEnd(second, join(dirname(root), 'trees', 'x'));
  });

  it.each([undefined, execFile])('through a link (%s)', async (runner) => {
    const [root, real] = [repository(), folder('real')];
    const link = join(folder('links'), 'link');
    symlinkSync(real, link);
    const driver = driverOf(root, { worktreesDir: link, ...(runner && { execFile: runner }) });
    await useToTheEnd(driver, join(real, 'x'));
    // A reference that was made through the link serves a driver without it, and the other way.
    git(root, 'branch', '-D', 'namzu/x');
    const ref = await driver.create({ label: 'x' });
    const direct = driverOf(root, { worktreesDir: real });
    expect(await direct.inspect(ref)).toMatchObject({ exists: true });
    await direct.dispose(ref);
    expect(existsSync(join(real, 'x'))).toBe(false);
    await direct.dispose(ref);
  });

  it('by a path with a separator at its end', async () => {
    const root = repository();
    await useToTheEnd(driverOf(`${root}/`), join(root, '.namzu', 'worktrees', 'x'));
  });

  it('in a folder whose name begins with a dash', async () => {
    const [root, dashed] = [repository(), folder('-rf')];
    within(dirname(dashed));
    await useToTheEnd(driverOf(root, { worktreesDir: '-rf' }), join(dashed, 'x'));
  });
});

it.each([
  [{ repoRoot: '' }, 'repoRoot'],
  [{ repoRoot: undefined as never }, 'repoRoot'],
  [{ repoRoot: '/r\n/x' }, 'repoRoot'],
  [{ repoRoot: '/r', worktreesDir: '' }, 'worktreesDir'],
  [{ repoRoot: '/r', worktreesDir: '/w\nx' }, 'worktreesDir'],
  [{ repoRoot: '/r', logger: undefined as never }, 'logger'],
])('the constructor refuses %j', (config, argument) => {
  expect(() => driverOf('/r', { logger: getRootLogger(), ...config })).toThrow(
    expect.objectContaining({
      name: 'InvalidArgumentError',
      details: expect.objectContaining({ argument }),
    }),
  );
});

describe('a worktree whose folder was deleted', () => {
  it.each([
    ['', undefined],
    [', with an execFile', execFile],
  ])('does not exist, and is disposed of%s', async (_, runner) => {
    const root = repository();
    const driver = driverOf(root, runner && { execFile: runner });
    const gone = { exists: false, currentRef: 'namzu/x', isDirty: false };
    for (const lock of [false, true]) {
      const ref = await driver.create({ label: 'x' });
      const path = ref.meta.worktreePath as string;
      if (lock) git(root, 'worktree', 'lock', '--reason', 'mine', path);
      rmSync(path, { recursive: true });
      expect(await driver.inspect(ref)).toEqual(gone);
      await driver.dispose(ref);
      expect(await driver.inspect(ref)).toEqual(gone);
      await driver.dispose(ref);
      git(root, 'branch', '-f', '-m', 'namzu/x', `was/${lock}`);
    }
    // The lock is not ours to undo: the folder may be on a disk that is not there now.
    expect(git(root, 'worktree', 'list', '--porcelain')).toContain('locked mine');
  });

  it('does not exist either when a plain folder is in its place, which stays', async () => {
    const root = repository();
    const driver = driverOf(root);
    const ref = await driver.create({ label: 'x' });
    const path = ref.meta.worktreePath as string;
    rmSync(path, { recursive: true });
    mkdirSync(path);
    writeFileSync(join(path, 'mine'), 'x');
    expect(await driver.inspect(ref)).toMatchObject({ exists: false });
    await driver.dispose(ref);
    expect(existsSync(join(path, 'mine'))).toBe(true);
  });
});

describe('a worktree that the driver did not make is not removed', () => {
  function refTo(root: string, worktreePath: string, branch: string): WorkspaceRef {
    const meta = { backend: 'git-worktree' as const, repoRoot: root, branch, worktreePath };
    return { id: 'wsp_1', meta, createdAt: new Date() };
  }

  async function refused(driver: GitWorktreeDriver, ref: WorkspaceRef, path: string) {
    const error = await driver.dispose(ref).then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error).toMatchObject({
      name: 'WorkspaceBackendError',
      details: { op: 'dispose', cause: { name: 'InvalidArgumentError' } },
    });
    expect(existsSync(path)).toBe(true);
  }

  it.each([
    ['', undefined],
    [', with an execFile', execFile],
  ])('outside of its folder, or on a branch of another name%s', async (_, runner) => {
    const root = repository();
    const driver = driverOf(root, runner && { execFile: runner });
    const dir = join(root, '.namzu', 'worktrees');
    const elsewhere = join(folder('elsewhere'), 'mine');
    git(root, 'worktree', 'add', '-q', '-b', 'mine', elsewhere);
    await refused(driver, refTo(root, elsewhere, 'mine'), elsewhere);
    git(root, 'worktree', 'add', '-q', '-b', 'other', join(dir, 'other'));
    await refused(driver, refTo(root, join(dir, 'other'), 'other'), join(dir, 'other'));
    await refused(driver, refTo(root, join(dir, 'deep', 'er'), 'namzu/er'), dir);
    for (const path of [root, dir, join(dir, '..'), `${dir}/x/../..`, '--help', '..', '.']) {
      await refused(driver, refTo(root, path, 'namzu/x'), root);
      await refused(driver, refTo(root, path, `namzu/${basename(path)}`), root);
    }
  });

  it('nor one in which another branch is checked out', async () => {
    const root = repository();
    const driver = driverOf(root);
    const ref = await driver.create({ label: 'x' });
    const path = ref.meta.worktreePath as string;
    git(path, 'checkout', '-q', '-b', 'feature');
    await refused(driver, ref, path);
    git(path, 'checkout', '-q', '--detach');
    await refused(driver, ref, path);
    git(path, 'checkout', '-q', 'namzu/x');
    await driver.dispose(ref);
    expect(existsSync(path)).toBe(false);
  });

  it('unless it is gone, on whatever branch it was', async () => {
    const root = repository();
    const driver = driverOf(root);
    for (const lock of [false, true]) {
      const ref = await driver.create({ label: `x${lock}` });
      const path = ref.meta.worktreePath as string;
      git(path, 'checkout', '-q', '-b', `feature-${lock}`);
      if (lock) git(root, 'worktree', 'lock', path);
      rmSync(path, { recursive: true });
      await driver.dispose(ref);
    }
  });

  it('nor one that is locked', async () => {
    const root = repository();
    const driver = driverOf(root);
    const ref = await driver.create({ label: 'x' });
    const path = ref.meta.worktreePath as string;
    git(root, 'worktree', 'lock', path);
    await expect(driver.dispose(ref)).rejects.toMatchObject({
      details: { op: 'dispose', cause: { message: expect.stringContaining('locked') } },
    });
    expect(existsSync(path)).toBe(true);
  });

  it('a worktree that git calls "does not exist" is not taken to be gone for its name', async () => {
    const root = repository();
    const worktreesDir = folder('does not exist');
    const driver = driverOf(root, { worktreesDir });
    const ref = await driver.create({ label: 'x' });
    git(root, 'worktree', 'lock', ref.meta.worktreePath as string);
    await expect(driver.dispose(ref)).rejects.toMatchObject({ details: { op: 'dispose' } });
  });
});
