/** The driver with an `execFile` of the application's: what is run, and what comes of it. */

import { join } from 'node:path';
import { type ExecFile, GitWorktreeDriver, type Logger, type WorkspaceRef } from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';

const ROOT = '/no/such/repo';
const PATH = join(ROOT, '.namzu', 'worktrees', 'x');
const REF: WorkspaceRef = {
  id: 'wsp_1',
  meta: { backend: 'git-worktree', repoRoot: ROOT, branch: 'namzu/x', worktreePath: PATH },
  createdAt: new Date(),
};

/** A driver over a stub that answers, or throws, what `answer` does. */
function stubbed(answer: (args: readonly string[]) => unknown = () => '') {
  const debug = vi.fn();
  const warn = vi.fn();
  const log: Logger = { debug, warn, info() {}, error() {}, child: () => log };
  const calls: unknown[][] = [];
  const execFile = (async (file, args) => {
    calls.push([file, ...args]);
    return { stdout: answer(args), stderr: '' };
  }) as ExecFile;
  return {
    driver: new GitWorktreeDriver({ repoRoot: ROOT, logger: log, execFile }),
    calls,
    debug,
    warn,
  };
}

function list(branch: string, path = PATH): string {
  return `worktree ${ROOT}\nHEAD 1\nbranch refs/heads/main\n\nworktree ${path}\nHEAD 2\n${branch}\n`;
}

describe('what is run', () => {
  it('create', async () => {
    const { driver, calls } = stubbed();
    await driver.create({ label: 'x' });
    await driver.create({ label: 'x', baseRef: 'main' });
    await driver.branch(REF, { label: 'x' });
    const add = ['git', '-C', ROOT, 'worktree', 'add', '-b', 'namzu/x', PATH];
    expect(calls).toEqual([add, [...add, 'main'], [...add, 'namzu/x']]);
  });

  it('dispose', async () => {
    const { driver, calls } = stubbed();
    await driver.dispose(REF);
    expect(calls).toEqual([['git', '-C', ROOT, 'worktree', 'remove', PATH, '--force']]);
  });

  it.each([
    ['branch refs/heads/other', '', { currentRef: 'refs/heads/other', isDirty: false }],
    ['detached', ' M file\n', { currentRef: '2', isDirty: true }],
  ])('inspect, with %s', async (branch, status, expected) => {
    const { driver, calls } = stubbed((args) => (args.includes('list') ? list(branch) : status));
    expect(await driver.inspect(REF)).toEqual({ exists: true, ...expected });
    expect(calls).toEqual([
      ['git', '-C', ROOT, 'worktree', 'list', '--porcelain'],
      ['git', '-C', PATH, 'status', '--porcelain'],
    ]);
  });

  it('inspect of a worktree that is not listed', async () => {
    const { driver, calls } = stubbed(() => list('detached', `${PATH}2`));
    expect(await driver.inspect(REF)).toEqual({
      exists: false,
      currentRef: 'namzu/x',
      isDirty: false,
    });
    expect(calls).toHaveLength(1);
  });
});

describe('what fails', () => {
  it.each([
    ['create', 'add'],
    ['dispose', 'remove'],
    ['inspect:list', 'list'],
    ['inspect:status', 'status'],
  ])('%s, with the error’s own object', async (op, command) => {
    for (const thrown of [new Error('broken'), { plain: true }, undefined]) {
      const { driver } = stubbed((args) => {
        if (args.includes(command)) throw thrown;
        return command === 'status' ? list('detached') : '';
      });
      const running =
        op === 'create'
          ? driver.create({ label: 'x' })
          : op === 'dispose'
            ? driver.dispose(REF)
            : driver.inspect(REF);
      const error = await running.catch((caught) => caught);
      expect(error.message).toBe(`Workspace backend git-worktree failed on ${op}`);
      expect(error.details).toEqual({ op, kind: 'git-worktree', cause: thrown });
      expect(error.details.cause).toBe(thrown);
    }
  });

  it.each(["fatal: '/p' IS NOT a working tree", 'path does not exist', 'ENOENT: No Such File'])(
    'dispose of what is gone is no failure: %s',
    async (text) => {
      const { driver, calls, debug } = stubbed(() => {
        throw new Error(text);
      });
      await driver.dispose(REF);
      expect(calls).toHaveLength(1);
      expect(debug).toHaveBeenCalledTimes(1);
    },
  );

  it.each(['create', 'dispose', 'inspect'] as const)(
    '%s of a reference or with parameters that are none',
    async (method) => {
      const { driver, calls } = stubbed();
      const other = { ...REF, meta: { backend: 'tmpfs' } } as never;
      const running =
        method === 'create'
          ? driver.create({ label: null, baseRef: 7 as never } as never)
          : driver[method](other);
      await expect(running).rejects.toMatchObject({ name: 'WorkspaceBackendError' });
      expect(calls).toEqual([]);
    },
  );
});

describe('an add that fails', () => {
  const failing = (stdout: string, message = 'hook failed') =>
    stubbed((args) => {
      if (args.includes('add')) throw new Error(message);
      if (args.includes('list')) return stdout;
      throw new Error('nothing else should be run');
    });

  it('succeeds when the worktree is there on its branch, with a warning', async () => {
    const { driver, calls, warn } = failing(list('branch refs/heads/namzu/x'));
    expect(await driver.create({ label: 'x' })).toMatchObject({ meta: REF.meta });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(calls).toHaveLength(2);
  });

  it.each([
    ['is not there', ''],
    ['is on another branch', list('branch refs/heads/other')],
    ['is elsewhere', list('branch refs/heads/namzu/x', '/elsewhere')],
    ['is still being made', list('branch refs/heads/namzu/x\nlocked initializing')],
  ])('fails when the worktree %s, and removes nothing that it did not make', async (_, stdout) => {
    const { driver, calls, warn } = failing(stdout);
    await expect(driver.create({ label: 'x' })).rejects.toMatchObject({
      details: { op: 'create' },
    });
    expect(warn).not.toHaveBeenCalled();
    expect(calls.filter((call) => !call.includes('add') && !call.includes('list'))).toEqual([]);
  });

  it('fails when git says that the label is taken', async () => {
    const taken = "fatal: a branch named 'namzu/x' already exists";
    const { driver } = failing(list('branch refs/heads/namzu/x'), taken);
    await expect(driver.create({ label: 'x' })).rejects.toMatchObject({
      details: { op: 'create' },
    });
  });

  it('takes away what git said that it made, and keeps the first error', async () => {
    const first = new Error("Preparing worktree (new branch 'namzu/x')\nfatal: no space");
    const ran: string[] = [];
    const { driver } = stubbed((args) => {
      ran.push(args.slice(2, 4).join(' '));
      throw args.includes('add') ? first : new Error('also broken');
    });
    const error = await driver.create({ label: 'x' }).catch((caught) => caught);
    expect(error.details.cause).toBe(first);
    expect(ran).toEqual(['worktree add', 'worktree list', 'worktree remove', 'branch -D']);
  });
});

it('a time limit of no use is refused', () => {
  const { driver: _, ...rest } = stubbed();
  expect(rest.calls).toEqual([]);
  const logger = { child: () => logger } as unknown as Logger;
  for (const timeoutMs of [0, -1, Number.NaN, '1' as never]) {
    expect(() => new GitWorktreeDriver({ repoRoot: ROOT, logger, timeoutMs })).toThrow('timeoutMs');
  }
});

it('works behind a Proxy and in a subclass', async () => {
  const { driver, calls } = stubbed();
  await new Proxy(driver, {}).dispose(REF);
  expect(calls).toHaveLength(1);
});
