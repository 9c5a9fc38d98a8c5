/** Workspaces that are worktrees of a git repository. */

import { join, resolve } from 'node:path';
import { invalid, object, path } from '../arguments';
import { Host } from '../host';
import { generateWorkspaceId } from '../ids';
import type { Logger } from '../logger';
import { type HostCall, native, type RealGit } from '../native';
import { pristine } from '../pristine';
import type {
  BranchWorkspaceParams,
  CreateWorkspaceParams,
  WorkspaceBackendDriver,
  WorkspaceInspection,
  WorkspaceKeepReason,
  WorkspaceRef,
} from './types';

/** What a program wrote. */
export interface ExecFileResult {
  stdout: string;
  stderr: string;
}

/** Runs a program, without a shell; rejects when it fails. */
export type ExecFile = (file: string, args: readonly string[]) => Promise<ExecFileResult>;

/** Which repository a {@link GitWorktreeDriver} works on, and how. */
export interface GitWorktreeDriverConfig {
  /** The repository. A relative path is resolved once, when the driver is constructed. */
  repoRoot: string;
  /**
   * The folder of the worktrees; `<repoRoot>/.namzu/worktrees` when absent. A relative path
   * is resolved once, from the current directory.
   */
  worktreesDir?: string | undefined;
  logger: Logger;
  /** Runs git in place of the real process. */
  execFile?: ExecFile | undefined;
  /** Milliseconds that one run of the real git may take before it is ended; 120,000 when absent. */
  timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Provides workspaces as git worktrees, each on a new branch `namzu/<label>`.
 *
 * Git is run without a shell, a prompt or the terminal. The driver touches files
 * through git alone. A call that succeeds runs an `execFile` of yours once (`inspect`: at
 * most twice); the real git is asked more where that protects work. A `create` that fails
 * leaves behind no worktree and no branch that it made, and never removes one that was
 * there before.
 *
 * Every failure is a `WorkspaceBackendError` with the cause in its `details`.
 *
 * @example
 * ```ts
 * const driver = new GitWorktreeDriver({ repoRoot: '.', logger: getRootLogger() });
 * const workspace = await driver.create({ label: 'fix-login' });
 * // … an agent works in workspace.meta.worktreePath …
 * if ((await driver.keepReason(workspace)) === null) await driver.dispose(workspace);
 * ```
 */
export class GitWorktreeDriver implements WorkspaceBackendDriver {
  readonly kind = 'git-worktree' as const;
  private readonly setup: Setup;

  /**
   * @throws InvalidArgumentError when a path is none, there is no logger, or `timeoutMs` is
   *   not above 0
   */
  constructor(config: GitWorktreeDriverConfig) {
    const {
      repoRoot,
      worktreesDir,
      logger,
      execFile,
      timeoutMs = DEFAULT_TIMEOUT_MS,
    } = object('config', config);
    if (typeof timeoutMs !== 'number' || !(timeoutMs > 0)) {
      throw invalid('timeoutMs', 'a number above 0', timeoutMs, GitWorktreeDriver);
    }
    if (typeof logger?.child !== 'function') {
      throw invalid(
        'logger',
        'a Logger, as getRootLogger() returns one',
        logger,
        GitWorktreeDriver,
      );
    }
    const root = folder('repoRoot', repoRoot);
    this.setup = {
      repoRoot: root,
      worktreesDir:
        worktreesDir === undefined
          ? join(root, '.namzu', 'worktrees')
          : folder('worktreesDir', worktreesDir),
      logger: logger.child({ component: 'GitWorktreeDriver' }),
      execFile,
      timeoutMs,
    };
  }

  /**
   * Makes a worktree at `<worktreesDir>/<label>`, on the new branch `namzu/<label>`. Without a
   * label it is named after its id.
   *
   * @throws WorkspaceBackendError when the label is no path component that git accepts in a
   *   branch name, `baseRef` is no revision, or git does not make the worktree
   */
  async create(params: CreateWorkspaceParams = {}): Promise<WorkspaceRef> {
    const { setup } = this;
    const request = requestFor(setup, params);
    const { execFile } = setup;
    if (execFile === undefined) return created(await createInCore(setup, request));
    // What succeeds needs no way through the core and back.
    const plan = planFor(request);
    if (plan === null) return created(await createInCore(setup, request));
    try {
      await execFile('git', plan.arguments);
      return created(plan.ref);
    } catch (error) {
      let add: ExecFile = async () => {
        // The core learns of the failure as if it had run git itself.
        add = execFile;
        throw error;
      };
      const run: ExecFile = (file, args) => add(file, args);
      return created(await createInCore({ ...setup, execFile: run }, request));
    }
  }

  /** Makes a worktree that starts at the branch of another one. */
  async branch(source: WorkspaceRef, params: BranchWorkspaceParams = {}): Promise<WorkspaceRef> {
    const { branch: baseRef } = source.meta;
    return this.create({ ...params, baseRef });
  }

  /**
   * Removes a worktree that this driver made, with all that is in it; its branch stays. One
   * that is gone already is no failure.
   *
   * Look first ({@link GitWorktreeDriver.keepReason}) where an agent may have left work.
   *
   * @throws WorkspaceBackendError when `ref` names no worktree as this driver makes them, when
   *   another branch is checked out there (an `execFile` of yours is not asked which), or when
   *   it is locked
   */
  async dispose(ref: WorkspaceRef): Promise<void> {
    const text = textOf(ref);
    await run(this.setup, (host, git, dir) => native.disposeWorktree(host, git, dir, text));
  }

  /**
   * Tells what has become of a worktree. One whose folder was deleted does not exist,
   * although git may still list it.
   *
   * `isDirty` is true when a file was changed or added, whatever git's settings hide: new
   * files (`status.showUntrackedFiles`), submodules, files under `skip-worktree`. A file under
   * `assume-unchanged` counts as changed, since git does not look at it. Ignored files do not
   * count, nor do file modes where `core.fileMode` is off. An `execFile` of yours runs
   * `git status --porcelain`, under its own settings.
   *
   * @throws WorkspaceBackendError when git does not tell
   */
  async inspect(ref: WorkspaceRef): Promise<WorkspaceInspection> {
    const text = textOf(ref);
    return JSON.parse(
      await run(this.setup, (host, git, dir) => native.inspectWorktree(host, git, dir, text)),
    );
  }

  /**
   * Tells why a worktree is to be kept, or `null` when it is gone or nothing is lost with it.
   * It runs git several times, an `execFile` of yours too, past all settings.
   *
   * - `locked`: by `git worktree lock`.
   * - `uncommitted`: as `isDirty` of {@link GitWorktreeDriver.inspect}.
   * - `unreachable`: commits of a detached head that are on no branch and no tag, or commits in
   *   a submodule that its remotes do not have: its repository goes with the worktree.
   *
   * @throws WorkspaceBackendError when git does not tell
   */
  async keepReason(ref: WorkspaceRef): Promise<WorkspaceKeepReason | null> {
    const text = textOf(ref);
    const reason = await run(this.setup, (host, git, dir) =>
      native.keepWorktreeReason(host, git, dir, text),
    );
    return reason as WorkspaceKeepReason | null;
  }
}

/** The absolute path of a folder. Git lists one worktree a line, so it has no line breaks. */
function folder(argument: string, value: string): string {
  const given = path(argument, value);
  if (!/[\r\n]/.test(given)) return resolve(given);
  throw invalid(argument, 'a path without line breaks', value, GitWorktreeDriver);
}

/** What a driver was made with. */
interface Setup {
  readonly repoRoot: string;
  readonly worktreesDir: string;
  readonly logger: Logger;
  readonly execFile: ExecFile | undefined;
  readonly timeoutMs: number;
}

/** Runs an operation of the core, with git as the driver was told to run it. */
async function run<T>(
  { logger, execFile, timeoutMs, worktreesDir }: Setup,
  operation: (call: HostCall, git: RealGit | null, folder: string) => Promise<T>,
): Promise<T> {
  const objects = { logger: () => logger };
  if (execFile === undefined) {
    // The environment as it is here: a worker thread has its own.
    const git = { environment: JSON.stringify(process.env), limit: timeoutMs };
    return new Host(objects).run((call) => operation(call, git, worktreesDir));
  }
  const git = {
    async run(args: readonly string[]) {
      return String((await execFile('git', args))?.stdout ?? '');
    },
  };
  return new Host({ ...objects, git: () => git }).run((call) =>
    operation(call, null, worktreesDir),
  );
}

/** What the core is to make. It checks the label before it does anything with the path. */
function requestFor(setup: Setup, { label, baseRef }: CreateWorkspaceParams): string {
  const { repoRoot, worktreesDir } = setup;
  const id = generateWorkspaceId();
  const name = label ?? id;
  const worktreePath = typeof name === 'string' ? join(worktreesDir, name) : '';
  return JSON.stringify({ id, label: name, baseRef, repoRoot, worktreePath });
}

/** What a `create` will answer, and what it will run git with; `null` when it will refuse. */
function planFor(request: string): { ref: WorkspaceRef; arguments: readonly string[] } | null {
  const plan = native.plannedWorktree(request);
  return plan === null ? null : JSON.parse(plan);
}

async function createInCore(setup: Setup, request: string): Promise<WorkspaceRef> {
  return JSON.parse(
    await run(setup, (host, git, dir) => native.createWorktree(host, git, dir, request)),
  );
}

/** A workspace that is there, stamped by the application's clock: its tests may have stopped it. */
function created(ref: WorkspaceRef): WorkspaceRef {
  ref.createdAt = new Date();
  return ref;
}

function textOf(ref: WorkspaceRef): string {
  return JSON.stringify(ref) ?? 'null';
}

const isPristine = pristine(GitWorktreeDriver);

function setupOf(driver: unknown): Setup | undefined {
  return isPristine(driver) ? (driver as { setup: Setup }).setup : undefined;
}

/** The workspace that a driver of ours will make for a label; `null` for any other driver. */
export function plannedWorktree(driver: unknown, label: string): WorkspaceRef | null {
  const setup = setupOf(driver);
  return setup === undefined ? null : (planFor(requestFor(setup, { label }))?.ref ?? null);
}

/**
 * Disposes of a workspace that the caller never got. A driver of ours that runs git
 * itself deletes the branch as well, so that the same handoff can be tried again.
 */
export async function takeBackWorkspace(
  driver: WorkspaceBackendDriver,
  ref: WorkspaceRef,
): Promise<void> {
  await driver.dispose(ref);
  const setup = setupOf(driver);
  if (setup === undefined || setup.execFile !== undefined) return;
  const text = textOf(ref);
  await run(setup, (host, git, dir) => native.forgetWorktree(host, git, dir, text));
}

/**
 * Removes what a process left that ended in the middle of a handoff: with a driver
 * of ours the branch too, and whatever state the worktree is in.
 */
export async function discardWorkspace(
  driver: WorkspaceBackendDriver,
  ref: WorkspaceRef,
): Promise<void> {
  const setup = setupOf(driver);
  if (setup === undefined) return driver.dispose(ref);
  const text = textOf(ref);
  await run(setup, (host, git, dir) => native.discardWorktree(host, git, dir, text));
}
