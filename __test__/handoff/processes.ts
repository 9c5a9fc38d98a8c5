/** Repositories, roots and processes for the tests of races and recovery. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  DefaultCapacityValidator,
  DiskSessionStore,
  GitWorktreeDriver,
  generateTenantId,
  type Logger,
  type SingleHandoffDeps,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { temporaryFolder } from './fixtures';

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));

export const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silent,
};

export function git(repoRoot: string, ...args: string[]): string {
  return execFileSync('git', ['-C', repoRoot, ...args], { encoding: 'utf8' });
}

/** A repository with one commit. */
export function repository(): string {
  const repoRoot = temporaryFolder('namzu repo é ');
  git(repoRoot, 'init', '-q', '-b', 'trunk');
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  git(repoRoot, ...identity, 'commit', '-q', '--allow-empty', '-m', 'first');
  return repoRoot;
}

/** A root with a session, a repository, and the dependencies of this process. */
export async function site() {
  const rootDir = temporaryFolder();
  const repoRoot = repository();
  const tenant = generateTenantId();
  const store = new DiskSessionStore({ rootDir });
  const project = await store.createProject({ tenantId: tenant, name: 'P' }, tenant);
  const source = await store.createSession({ projectId: project.id, currentActor: null }, tenant);
  const workspaceRegistry = new WorkspaceBackendRegistry();
  workspaceRegistry.register(new GitWorktreeDriver({ repoRoot, logger: silent }));
  const capacity = new DefaultCapacityValidator(store);
  const deps: SingleHandoffDeps = { store, workspaceRegistry, capacity, events: {} };
  const ids = { rootDir, repoRoot, tenant, project: project.id, source: source.id };
  return { ...ids, store, deps, ids };
}

export type Site = Awaited<ReturnType<typeof site>>;

/** Whether several processes may write one root at once. */
export async function sharesRoots(): Promise<boolean> {
  const { rootDir } = await site();
  return existsSync(join(rootDir, '.store', 'lock'));
}

/** What git and the root have of handoffs. */
export function leftovers({ repoRoot, rootDir }: Pick<Site, 'repoRoot' | 'rootDir'>) {
  const folder = join(rootDir, '.store', 'intents');
  return {
    worktrees: git(repoRoot, 'worktree', 'list', '--porcelain').split('\n\n').length - 2,
    branches: git(repoRoot, 'branch', '--list', 'namzu/*').split('\n').filter(Boolean).length,
    intents: existsSync(folder) ? readdirSync(folder) : [],
  };
}

/** A process that runs one of the tasks of `child.mjs`. */
export class Child {
  readonly process: ChildProcess;
  readonly lines: AsyncIterator<string>;
  readonly ended: Promise<void>;

  constructor(task: 'race' | 'loop' | 'recover', input: object) {
    this.process = spawn(process.execPath, [CHILD, task, JSON.stringify(input)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.ended = new Promise((resolve) => this.process.once('close', () => resolve()));
    const stdout = this.process.stdout as NodeJS.ReadableStream;
    this.lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /** Waits until it is about to start. */
  async ready(): Promise<this> {
    await this.lines.next();
    return this;
  }

  async answer<T>(): Promise<T> {
    const { value } = await this.lines.next();
    await this.ended;
    return JSON.parse(value);
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended;
  }
}
