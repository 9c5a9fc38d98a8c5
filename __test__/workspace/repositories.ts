/** Real repositories for tests, in a folder that goes when the file's tests have ended. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitWorktreeDriver, type GitWorktreeDriverConfig, type Logger } from 'namzu-native';
import { afterAll } from 'vitest';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'namzu-git-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let made = 0;
export function folder(name = 'repo'): string {
  made += 1;
  const path = join(base, `${made}`, name);
  mkdirSync(path, { recursive: true });
  return path;
}

const SETTINGS = ['user.name=t', 'user.email=t@example.com', 'protocol.file.allow=always'];

export function git(root: string, ...args: string[]): string {
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  return execFileSync('git', ['-C', root, ...settings, ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** A repository with a file `file`. */
export function repository(): string {
  const root = folder();
  git(root, 'init', '-q', '-b', 'trunk');
  writeFileSync(join(root, 'file'), 'first');
  git(root, 'add', 'file');
  git(root, 'commit', '-q', '-m', 'first');
  return root;
}

export const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silent,
};

export function driverOf(repoRoot: string, config: Partial<GitWorktreeDriverConfig> = {}) {
  return new GitWorktreeDriver({ repoRoot, logger: silent, ...config });
}
