/** Hands the session to a reviewer, who works in a worktree of its own. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  DefaultCapacityValidator,
  executeSingleHandoff,
  GitWorktreeDriver,
  generateHandoffId,
  getRootLogger,
  recoverHandoffs,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { runAgent } from './agent.mjs';

/** What a handoff works with. */
export function handoffDeps(store, folder) {
  const workspaceRegistry = new WorkspaceBackendRegistry();
  const repoRoot = repositoryIn(join(folder, 'repository'));
  workspaceRegistry.register(new GitWorktreeDriver({ repoRoot, logger: getRootLogger() }));
  return { store, workspaceRegistry, capacity: new DefaultCapacityValidator(store), events: {} };
}

/** Takes back a handoff that an earlier process did not finish. */
export function recover(deps, tenant) {
  return recoverHandoffs(deps, tenant);
}

/** The reviewer's verdict; the session is handed over first if it has not been. */
export async function review({ deps, tenant, session, answer, onTurn }) {
  const { store } = deps;
  const reviewer = { kind: 'agent', agentId: 'agt_reviewer', tenantId: tenant };
  let handedOver = await edgeToReviewer(store, session, tenant);
  if (handedOver === undefined) {
    const current = await store.getSession(session.id, tenant);
    await executeSingleHandoff(
      deps,
      {
        id: generateHandoffId(),
        mode: 'single',
        sourceSessionId: session.id,
        tenantId: tenant,
        projectId: session.projectId,
        sourceActor: current.currentActor,
        recipientActor: reviewer,
        expectedOwnerVersion: current.ownerVersion,
        createdAt: new Date(),
      },
      tenant,
    );
    handedOver = await edgeToReviewer(store, session, tenant);
  }
  const own = await store.getSession(handedOver.childSessionId, tenant);
  const task = `Review: ${answer}`;
  const tell = (turn) => onTurn('reviewer', turn);
  return runAgent({ store, tenant, session: own, task, tools: {}, onTurn: tell });
}

async function edgeToReviewer(store, session, tenant) {
  const children = await store.getChildren(session.id, tenant);
  return children.find(({ kind }) => kind === 'user_handoff');
}

/** A repository with one commit; a worktree needs something to start from. */
function repositoryIn(path) {
  const git = (...args) => execFileSync('git', ['-C', path, ...args], { stdio: 'pipe' });
  if (!existsSync(path)) mkdirSync(path, { recursive: true });
  git('init', '--quiet');
  const identity = ['-c', 'user.name=example', '-c', 'user.email=example@localhost'];
  try {
    git('rev-parse', '--verify', '--quiet', 'HEAD');
  } catch {
    git(...identity, 'commit', '--quiet', '--allow-empty', '--message', 'Start');
  }
  return path;
}
