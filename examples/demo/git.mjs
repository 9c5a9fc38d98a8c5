// The repository whose worktrees the agents get, made and looked at with plain git, so that what
// the store's own driver says is not taken on its word.

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { parseWorktreeList } from 'namzu-native';

const run = promisify(execFile);

/** A machine may have no identity configured, and may want every commit signed. */
const OWN_CONFIG = ['user.name=demo', 'user.email=demo@example.invalid', 'commit.gpgSign=false'];

/** Set while git runs a hook: they would lead away from the repository that is meant. */
const LEADING_AWAY = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR'];

/**
 * A new repository with one commit, on whatever branch this machine starts with.
 *
 * @param {string} path
 * @returns {Promise<string | null>} the path; `null` when there is no git on this machine
 */
export async function makeRepository(path) {
  await mkdir(path);
  try {
    await git(path, 'init', '--quiet');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
  await writeFile(join(path, 'README.md'), 'What the agents of the demo work on.\n');
  await git(path, 'add', 'README.md');
  const config = OWN_CONFIG.flatMap((entry) => ['-c', entry]);
  await git(path, ...config, 'commit', '--quiet', '--no-verify', '--message', 'Begin');
  return path;
}

/**
 * The branch that a worktree has checked out, as git knows it.
 *
 * @param {string} repository
 * @param {string} path of the worktree
 * @returns {Promise<string | undefined>} `undefined` when git lists no such worktree
 */
export async function branchOfWorktree(repository, path) {
  const list = await git(repository, 'worktree', 'list', '--porcelain');
  const entry = parseWorktreeList(list, path.split(sep).join('/'));
  return entry?.branch?.replace('refs/heads/', '');
}

/** @returns {Promise<string>} what git wrote to standard output */
async function git(repository, ...args) {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  for (const name of LEADING_AWAY) delete env[name];
  return (await run('git', ['-C', repository, ...args], { env })).stdout;
}
