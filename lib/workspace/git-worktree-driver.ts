/** Workspaces that are worktrees of a git repository. */

import { join } from 'node:path';
import { invalid } from '../arguments';
import { Host, type HostCall } from '../host';
import { generateWorkspaceId } from '../ids';
import type { Logger } from '../logger';
import { native, type RealGit } from '../native';
import { untouched } from '../untouched';
import type {
  BranchWorkspaceParams,
  CreateWorkspaceParams,
  GitWorktreeBackendMeta,
  WorkspaceBackendDriver,
  WorkspaceInspection,
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
  /** The repository. */
  repoRoot: string;
  /** The folder of the worktrees; `<repoRoot>/.namzu/worktrees` when absent. */
  worktreesDir?: string;
  logger: Logger;
  /** Runs git in place of the real process. */
  execFile?: ExecFile;
  /** Milliseconds that one run of the real git may take before it is ended; 120,000 when absent. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Provides workspaces as git worktrees, each on a new branch `namzu/<label>`.
 *
 * Git is run without a shell, a prompt or the terminal. The driver touches files
 * through git alone, and a call that succeeds runs it once (`inspect`: at most
 * twice). A `create` that fails leaves behind no worktree and no branch that it
 * made, and never removes one that was there before.
 *
 * Every failure is a `WorkspaceBackendError` with the cause in its `details`.
 */
export class GitWorktreeDriver implements WorkspaceBackendDriver {
  readonly kind = 'git-worktree' as const;
  private readonly setup: Setup;

  constructor(config: GitWorktreeDriverConfig) {
    const { repoRoot, logger, execFile, timeoutMs = DEFAULT_TIMEOUT_MS } = config;
    if (typeof timeoutMs !== 'number' || !(timeoutMs > 0)) {
      throw invalid('timeoutMs', 'a number above 0', timeoutMs, invalid);
    }
    this.setup = {
      repoRoot,
      worktreesDir: config.worktreesDir ?? join(repoRoot, '.namzu', 'worktrees'),
      logger: logger.child({ component: 'GitWorktreeDriver' }),
      execFile,
      timeoutMs,
    };
  }

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

  async branch(source: WorkspaceRef, params: BranchWorkspaceParams = {}): Promise<WorkspaceRef> {
    const { branch: baseRef } = source.meta as GitWorktreeBackendMeta;
    return this.create({ ...params, baseRef });
  }

  async dispose(ref: WorkspaceRef): Promise<void> {
    const text = textOf(ref);
    await run(this.setup, (host, git) => native.disposeWorktree(host, git, text));
  }

  async inspect(ref: WorkspaceRef): Promise<WorkspaceInspection> {
    const text = textOf(ref);
    return JSON.parse(
      await run(this.setup, (host, git) => native.inspectWorktree(host, git, text)),
    );
  }
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
  { logger, execFile, timeoutMs }: Setup,
  operation: (call: HostCall, git: RealGit | null) => Promise<T>,
): Promise<T> {
  const objects = { logger: () => logger };
  if (execFile === undefined) {
    // The environment as it is here: a worker thread has its own.
    const git = { environment: JSON.stringify(process.env), limit: timeoutMs };
    return new Host(objects).run((call) => operation(call, git));
  }
  const git = {
    async run(args: readonly string[]) {
      return String((await execFile('git', args))?.stdout ?? '');
    },
  };
  return new Host({ ...objects, git: () => git }).run((call) => operation(call, null));
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
  return JSON.parse(await run(setup, (host, git) => native.createWorktree(host, git, request)));
}

/** A workspace that is there, stamped by the application's clock: its tests may have stopped it. */
function created(ref: WorkspaceRef): WorkspaceRef {
  ref.createdAt = new Date();
  return ref;
}

function textOf(ref: WorkspaceRef): string {
  return JSON.stringify(ref) ?? 'null';
}

const isUntouched = untouched(GitWorktreeDriver);

function setupOf(driver: unknown): Setup | undefined {
  return isUntouched(driver) ? (driver as { setup: Setup }).setup : undefined;
}

/** The workspace that a driver of ours will make for a label; `null` for any other driver. */
export function plannedWorktree(driver: unknown, label: string): WorkspaceRef | null {
  const setup = setupOf(driver);
  return setup === undefined ? null : (planFor(requestFor(setup, { label }))?.ref ?? null);
}

/**
 * Disposes of a workspace that nobody got to see. A driver of ours that runs git
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
  await run(setup, (host, git) => native.forgetWorktree(host, git, text));
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
  await run(setup, (host, git) => native.discardWorktree(host, git, text));
}
