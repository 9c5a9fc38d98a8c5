/** Handoffs that are stopped halfway, as if their process had ended. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executeSingleHandoff, type HandoffAssignment } from 'namzu-native';
import { FakeDriver, single } from './fixtures';
import { git, type Site } from './processes';

/** The file of an unfinished handoff. */
export const intentFile = ({ rootDir, source }: Pick<Site, 'rootDir' | 'source'>) =>
  join(rootDir, '.store', 'intents', `${source}.json`);

/** A handoff that is stopped while its workspace is made. */
export async function halfway(
  there: Site,
  driver = new FakeDriver(),
  changes: Partial<HandoffAssignment> = {},
) {
  const s = { ...there, project: { id: there.project }, source: { id: there.source } } as never;
  let goOn = () => {};
  const stopped = new Promise<void>((resolve) => {
    const create = driver.create.bind(driver);
    driver.create = async (params) => {
      const ref = await create(params);
      resolve();
      await new Promise<void>((go) => {
        goOn = go;
      });
      return ref;
    };
  });
  const deps = { ...there.deps, workspaceRegistry: { get: () => driver } };
  const running = executeSingleHandoff(deps, single(s, changes), there.tenant);
  await stopped;
  return { running, goOn: () => goOn() };
}

/** Makes the intent of this process look like that of one that has ended. */
export function orphan(there: Site, workspaces?: readonly object[]) {
  const intent = JSON.parse(readFileSync(intentFile(there), 'utf8'));
  intent.process.startTime = '1';
  if (workspaces !== undefined) intent.workspaces = workspaces;
  writeFileSync(intentFile(there), JSON.stringify(intent));
  return intent;
}

/**
 * A handoff that died when it had made half of its worktree. `goOn` ends what is left of
 * it in this process.
 */
export async function deadAmidWorktree(there: Site, changes: Partial<HandoffAssignment> = {}) {
  const driver = there.deps.workspaceRegistry.get('git-worktree');
  const { running, goOn } = await halfway(there, driver as unknown as FakeDriver, changes);
  running.catch(() => {});
  const [worktree] = git(there.repoRoot, 'worktree', 'list', '--porcelain').split('\n\n').slice(1);
  const worktreePath = worktree?.split('\n')[0]?.slice('worktree '.length) ?? '';
  git(there.repoRoot, 'worktree', 'lock', '--reason', 'initializing', worktreePath);
  writeFileSync(join(worktreePath, 'dirty'), 'x');
  const before = JSON.parse(readFileSync(intentFile(there), 'utf8'));
  const branch = `namzu/handoff-${before.assignments[0].id}`;
  const meta = { backend: 'git-worktree', repoRoot: there.repoRoot, branch, worktreePath };
  const intent = orphan(there, [{ id: 'wsp_1', meta, createdAt: new Date() }]);
  // A driver of ours again, as a new process has it.
  Reflect.deleteProperty(driver, 'create');
  return { planned: before.workspaces.length as number, intent, goOn };
}
