// What a handoff costs beside what nobody can do without: the syncs of a broadcast, and the
// worktree of a single one.

import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import {
  DefaultCapacityValidator,
  executeBroadcastHandoff,
  executeSingleHandoff,
  GitWorktreeDriver,
  generateHandoffId,
  getRootLogger,
  NOOP_HANDOFF_SINK,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { bareCalls } from '../baselines/floor.mjs';
import { newSession, TENANT } from '../cases/plant.mjs';
import { differenceSpread, ratioSpread, takeTurns } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

const RECIPIENTS = 8;
const SYNCS = 3;
const SILENT = { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] };

export async function handOver({ directory, effort: { rounds }, only }) {
  const broadcasts = `handoff: a broadcast to ${RECIPIENTS}, full`;
  const singles = 'handoff: one recipient with a git worktree, full';
  await runGroup(
    {
      title: broadcasts,
      columns: ['ours', `${SYNCS} syncs`],
      ratioOf: 'ours minus the syncs',
      unit: 'ms',
      comparison: 'difference',
    },
    chosen(broadcasts, [{ name: 'executeBroadcastHandoff' }], only),
    () => inTurns(directory, rounds, broadcast),
    differenceSpread,
  );
  await runGroup(
    {
      title: singles,
      columns: ['ours', 'git'],
      ratioOf: 'ours over git worktree add',
      unit: 'ms',
    },
    chosen(singles, [{ name: 'executeSingleHandoff' }], only),
    () => inTurns(directory, Math.min(rounds, 15), single),
    ratioSpread,
  );
}

function inTurns(directory, rounds, contenders) {
  return withStores(directory, [OURS.full], async ([store], own) => {
    const beside = join(own, 'beside');
    await mkdir(beside);
    const project = await store.createProject(
      { tenantId: TENANT, name: 'handoffs', config: { maxDelegationWidth: RECIPIENTS } },
      TENANT,
    );
    const { samples, close } = await contenders(store, project.id, beside);
    try {
      return await takeTurns(samples, rounds);
    } finally {
      close?.();
    }
  });
}

async function broadcast(store, projectId, beside) {
  const deps = depsOf(store, instantGit());
  const { call, close } = bareCalls.overwriteAndSync(beside);
  let syncs = 0;
  const sync = () => {
    for (let n = 0; n < SYNCS; n += 1) call(syncs++);
  };
  const handOff = async () => {
    const source = await newSession(store, projectId);
    const assignments = Array.from({ length: RECIPIENTS }, (_, n) => ({
      ...assignment(source, `agt_${n}`),
      mode: 'broadcast',
      broadcastId: 'brc_bench',
    }));
    return timed(() => executeBroadcastHandoff(deps, assignments, TENANT));
  };
  return { samples: [handOff, () => timed(sync)], close };
}

async function single(store, projectId, beside) {
  // Signed commits and hooks are the user's own affair: neither may fail here, or take time.
  Object.assign(process.env, { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_SYSTEM: devNull });
  // The quickest way that Node has to run a program and wait for it.
  const git = (...args) => {
    const { status, stderr, error } = spawnSync('git', ['-C', beside, ...args], SILENT);
    if (status !== 0) throw error ?? new Error(`git ${args[0]}: ${stderr}`);
  };
  git('init', '-q', '--template=');
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
  git(...author, 'commit', '-q', '--allow-empty', '-m', 'first');
  const deps = depsOf(store, new GitWorktreeDriver({ repoRoot: beside, logger: getRootLogger() }));
  const handOff = async () => {
    const source = await newSession(store, projectId);
    return timed(() => executeSingleHandoff(deps, assignment(source, 'agt_one'), TENANT));
  };
  let worktrees = 0;
  const byHand = () => {
    worktrees += 1;
    const name = `by-hand-${worktrees}`;
    return timed(() => git('worktree', 'add', '-b', name, join(beside, '.namzu', name)));
  };
  return { samples: [handOff, byHand] };
}

function depsOf(store, driver) {
  const workspaceRegistry = new WorkspaceBackendRegistry();
  workspaceRegistry.register(driver);
  const capacity = new DefaultCapacityValidator(store);
  return { store, workspaceRegistry, capacity, events: NOOP_HANDOFF_SINK };
}

/** The driver of git worktrees, with a git that answers at once. */
function instantGit() {
  const execFile = async () => ({ stdout: '', stderr: '' });
  return new GitWorktreeDriver({ repoRoot: '/repository', logger: getRootLogger(), execFile });
}

function assignment(source, agentId) {
  return {
    id: generateHandoffId(),
    mode: 'single',
    sourceSessionId: source.id,
    tenantId: TENANT,
    projectId: source.projectId,
    sourceActor: source.currentActor,
    recipientActor: { kind: 'agent', agentId, tenantId: TENANT },
    expectedOwnerVersion: source.ownerVersion,
    createdAt: new Date(),
  };
}

/** Milliseconds. */
async function timed(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}
