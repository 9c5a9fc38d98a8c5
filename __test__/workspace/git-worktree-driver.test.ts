/** The driver with real repositories of every kind. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GitWorktreeDriver,
  type GitWorktreeDriverConfig,
  type Logger,
  WorkspaceBackendError,
} from 'namzu-native';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';

const base = mkdtempSync(join(tmpdir(), 'namzu-git-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let made = 0;
function folder(name = 'repo'): string {
  made += 1;
  const path = join(base, `${made}`, name);
  mkdirSync(path, { recursive: true });
  return path;
}

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
const git = (root: string, ...args: string[]) =>
  execFileSync('git', ['-C', root, ...IDENTITY, ...args], { encoding: 'utf8', stdio: 'pipe' });

function repository({ branch = 'trunk', name = 'repo' } = {}): string {
  const root = folder(name);
  git(root, 'init', '-q', '-b', branch);
  writeFileSync(join(root, 'file'), 'first');
  git(root, 'add', 'file');
  git(root, 'commit', '-q', '-m', 'first');
  return root;
}

function logger() {
  const lines: string[] = [];
  const log = {
    debug: vi.fn((message: string) => void lines.push(`debug ${message}`)),
    info: vi.fn(),
    warn: vi.fn((message: string) => void lines.push(`warn ${message}`)),
    error: vi.fn(),
    child: vi.fn((): Logger => log),
  };
  return { log, lines };
}

function driverOf(repoRoot: string, config: Partial<GitWorktreeDriverConfig> = {}) {
  return new GitWorktreeDriver({ repoRoot, logger: logger().log, ...config });
}

/** What there is of worktrees and branches. */
function stateOf(root: string) {
  return {
    worktrees: git(root, 'worktree', 'list', '--porcelain'),
    branches: git(root, 'branch', '--list', '--format=%(refname) %(objectname)'),
  };
}

async function failure(running: Promise<unknown>) {
  const error = await running.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(WorkspaceBackendError);
  return error as WorkspaceBackendError & { details: { cause: Error & { code?: unknown } } };
}

describe('a worktree', () => {
  it.each([
    ['whose default branch has any name', () => repository({ branch: 'a/b-c' })],
    ['in a folder with spaces and more', () => repository({ name: "my repo é ☂ 'x'" })],
    [
      'that has a detached head',
      () => {
        const root = repository();
        git(root, 'checkout', '-q', '--detach');
        return root;
      },
    ],
    [
      'that is bare',
      () => {
        const root = folder('bare.git');
        git(repository(), 'clone', '-q', '--bare', '.', root);
        return root;
      },
    ],
  ])('of a repository %s is made, inspected and disposed of', async (_, make) => {
    const root = make();
    const driver = driverOf(root);
    const before = git(root, 'worktree', 'list', '--porcelain');
    const ref = await driver.create({ label: 'work' });
    expect(ref).toEqual({
      id: expect.stringMatching(/^wsp_[0-9a-z]{12}$/),
      meta: {
        backend: 'git-worktree',
        repoRoot: root,
        branch: 'namzu/work',
        worktreePath: join(root, '.namzu', 'worktrees', 'work'),
      },
      createdAt: expect.any(Date),
    });
    const { worktreePath } = ref.meta;
    expect(existsSync(join(worktreePath, 'file'))).toBe(true);
    const current = 'refs/heads/namzu/work';
    expect(await driver.inspect(ref)).toEqual({
      exists: true,
      currentRef: current,
      isDirty: false,
    });
    writeFileSync(join(worktreePath, 'file'), 'changed');
    expect(await driver.inspect(ref)).toEqual({ exists: true, currentRef: current, isDirty: true });
    await driver.dispose(ref);
    expect(existsSync(worktreePath)).toBe(false);
    expect(await driver.inspect(ref)).toEqual({
      exists: false,
      currentRef: 'namzu/work',
      isDirty: false,
    });
    await driver.dispose(ref);
    expect(git(root, 'worktree', 'list', '--porcelain')).toBe(before);
  });

  it('is named after its id where there is no label, in the folder of one’s choice', async () => {
    const [root, worktreesDir] = [repository(), folder('worktrees')];
    const ref = await driverOf(root, { worktreesDir }).create();
    expect(ref.meta).toMatchObject({
      branch: `namzu/${ref.id}`,
      worktreePath: join(worktreesDir, ref.id),
    });
  });

  it('starts from a base, and branches off another', async () => {
    const root = repository();
    git(root, 'tag', 'v1');
    git(root, 'commit', '-q', '--allow-empty', '-m', 'second');
    const driver = driverOf(root);
    const first = await driver.create({ baseRef: 'v1', label: 'first' });
    const head = (path: string) => git(path, 'rev-parse', 'HEAD');
    expect(head(first.meta.worktreePath)).toBe(git(root, 'rev-parse', 'v1'));
    git(first.meta.worktreePath, 'commit', '-q', '--allow-empty', '-m', 'mine');
    const second = await driver.branch(first, { label: 'second' });
    expect(head(second.meta.worktreePath)).toBe(head(first.meta.worktreePath));
    git(second.meta.worktreePath, 'checkout', '-q', '--detach');
    expect(await driver.inspect(second)).toMatchObject({
      currentRef: git(root, 'rev-parse', 'namzu/second').trim(),
    });
  });

  it('is disposed of although its repository is gone', async () => {
    const root = repository();
    const driver = driverOf(root);
    const ref = await driver.create({ label: 'x' });
    rmSync(root, { recursive: true });
    await driver.dispose(ref);
  });

  it('is made from within a hook, whose variables name another repository', async () => {
    const [root, other] = [repository(), repository()];
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    vi.stubEnv('GIT_WORK_TREE', other);
    const ref = await driverOf(root).create({ label: 'x' });
    vi.unstubAllEnvs();
    expect(stateOf(root).worktrees).toContain(ref.meta.worktreePath);
  });
});

describe('a create that fails leaves nothing of its own, and what was there', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    '../x',
    'a/b',
    '-rf',
    '',
    'a\n',
    'a\u0000',
    'x.lock',
    '..',
    'a b',
    'lone \ud800',
    7 as never,
  ])('with the label %j nothing is run', async (label) => {
    const execFile = vi.fn();
    const error = await failure(driverOf('/r', { execFile }).create({ label }));
    expect(error.message).toBe('Workspace backend git-worktree failed on create');
    expect(error.details).toMatchObject({ op: 'create', kind: 'git-worktree' });
    expect(execFile).not.toHaveBeenCalled();
  });

  it.each(['-f', '--detach', 'a\u0000', ''])('nor with the base %j', async (baseRef) => {
    const execFile = vi.fn();
    const error = await failure(driverOf('/r', { execFile }).create({ label: 'x', baseRef }));
    expect(error.details.op).toBe('create');
    expect(execFile).not.toHaveBeenCalled();
  });

  it('when the label is taken by a worktree', async () => {
    const root = repository();
    const driver = driverOf(root);
    const ref = await driver.create({ label: 'taken' });
    writeFileSync(join(ref.meta.worktreePath, 'mine'), 'x');
    const before = stateOf(root);
    const error = await failure(driver.create({ label: 'taken' }));
    expect(error.details.cause.message).toContain('already exists');
    expect(error.cause).toBe(error.details.cause);
    expect(stateOf(root)).toEqual(before);
    expect(existsSync(join(ref.meta.worktreePath, 'mine'))).toBe(true);
    // Nor when the base is missing as well, which git says before it says anything else.
    await failure(driver.create({ label: 'taken', baseRef: 'missing' }));
    expect(stateOf(root)).toEqual(before);
  });

  it('when there is a branch of that name', async () => {
    const root = repository();
    git(root, 'branch', 'namzu/taken');
    git(root, 'branch', 'namzu/also');
    const before = stateOf(root);
    await failure(driverOf(root).create({ label: 'taken' }));
    await failure(driverOf(root).create({ label: 'also', baseRef: 'missing' }));
    expect(stateOf(root)).toEqual(before);
  });

  it('when there is something at its path', async () => {
    const root = repository();
    const path = join(root, '.namzu', 'worktrees', 'x');
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'mine'), 'x');
    const before = stateOf(root);
    await failure(driverOf(root).create({ label: 'x' }));
    expect(stateOf(root)).toEqual(before);
    expect(existsSync(join(path, 'mine'))).toBe(true);
  });

  it('when the base is missing', async () => {
    const root = repository();
    const before = stateOf(root);
    const error = await failure(driverOf(root).create({ label: 'x', baseRef: 'missing' }));
    expect(error.details.cause.message).toContain('missing');
    expect(stateOf(root)).toEqual(before);
  });

  it('when the folder is no repository, or not there', async () => {
    const nowhere = folder('nowhere');
    for (const root of [nowhere, join(nowhere, 'missing')]) {
      const error = await failure(driverOf(root).create({ label: 'x' }));
      expect(error.details.cause.code).toBe(128);
      expect(existsSync(join(root, '.namzu'))).toBe(false);
    }
  });

  it('when git is not in the path', async () => {
    const root = repository();
    vi.stubEnv('PATH', folder('empty'));
    const error = await failure(driverOf(root).create({ label: 'x' }));
    expect(error.details.cause).toMatchObject({ message: 'spawn git ENOENT', code: 'ENOENT' });
    expect((await failure(driverOf(root).inspect(ref(root)))).details.op).toBe('inspect:list');
    expect((await failure(driverOf(root).dispose(ref(root)))).details.op).toBe('dispose');
  });

  it('when git takes too long, hooks and all', async () => {
    const root = repository();
    git(root, 'config', 'filter.slow.smudge', 'sleep 30; cat');
    writeFileSync(join(root, '.gitattributes'), '* filter=slow\n');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'slow');
    const before = stateOf(root);
    const error = await failure(driverOf(root, { timeoutMs: 400 }).create({ label: 'slow' }));
    expect(error.details.cause).toMatchObject({ killed: true });
    expect(stateOf(root)).toEqual(before);
    expect(existsSync(join(root, '.namzu', 'worktrees', 'slow'))).toBe(false);
  });

  it('when the logger throws, whose error it is then', async () => {
    const root = repository();
    hook(root, 'exit 1');
    const before = stateOf(root);
    const { log } = logger();
    const thrown = new Error('disk full');
    log.warn.mockImplementation(() => {
      throw thrown;
    });
    await expect(driverOf(root, { logger: log }).create({ label: 'x' })).rejects.toBe(thrown);
    expect(stateOf(root)).toEqual(before);
  });
});

function ref(root: string) {
  const meta = { repoRoot: root, branch: 'namzu/x', worktreePath: join(root, 'x') };
  return {
    id: 'wsp_1' as const,
    meta: { backend: 'git-worktree' as const, ...meta },
    createdAt: new Date(),
  };
}

function hook(root: string, script: string) {
  const path = join(root, '.git', 'hooks', 'post-checkout');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe('a post-checkout hook that fails', () => {
  it.each(['exit 1', 'exit 128', "echo 'fatal: hook' >&2; exit 255", 'kill -9 $$'])(
    '(%s) does not fail the create, and is logged',
    async (script) => {
      const root = repository();
      hook(root, script);
      const { log, lines } = logger();
      const driver = driverOf(root, { logger: log });
      const made = await driver.create({ label: 'x' });
      expect(await driver.inspect(made)).toMatchObject({ exists: true, isDirty: false });
      expect(lines).toEqual([expect.stringContaining('warn')]);
      expect(log.child).toHaveBeenCalledWith({ component: 'GitWorktreeDriver' });
      // A label that is taken is still taken.
      await failure(driver.create({ label: 'x' }));
      expect(await driver.inspect(made)).toMatchObject({ exists: true });
    },
  );

  it('may leave something running in the background', async () => {
    const root = repository();
    hook(root, 'sleep 20 &');
    await driverOf(root).create({ label: 'x' });
  });
});
