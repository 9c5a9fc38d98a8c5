// The dispatcher hands its session to a supervisor, who hands its own to three reviewers at once.
// Each of the four recipients works in a git worktree of its own.

import { join } from 'node:path';
import {
  DefaultCapacityValidator,
  executeBroadcastHandoff,
  executeSingleHandoff,
  GitWorktreeDriver,
  generateHandoffId,
  getRootLogger,
  NOOP_HANDOFF_SINK,
  recoverHandoffs,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { bySpawnTime, newEdge, newSession, say } from './desk.mjs';

const REVIEWERS = ['agt_reviewer_1', 'agt_reviewer_2', 'agt_reviewer_3'];

/**
 * @param {import('./desk.mjs').Desk} desk with an untouched store: over any other the records do
 *   not name the workspaces
 * @param {import('./desk.mjs').Expectations} expectations brought up to date
 */
export async function handOver(desk, expectations) {
  const { store, tenantId } = desk;
  const { repository: repoRoot, sessions } = expectations;
  const workspaceRegistry = new WorkspaceBackendRegistry();
  workspaceRegistry.register(new GitWorktreeDriver({ repoRoot, logger: getRootLogger() }));
  const capacity = new DefaultCapacityValidator(store);
  const deps = { store, workspaceRegistry, capacity, events: NOOP_HANDOFF_SINK };
  await recoverHandoffs(deps, tenantId);

  const [dispatcher] = sessions;
  const handoff = assignment(desk, dispatcher, 'agt_supervisor', { mode: 'single' });
  const outcome = await executeSingleHandoff(deps, handoff, tenantId);
  const [supervisor] = await expectRecipients(desk, expectations, dispatcher, [handoff], [outcome]);
  passOwnership(dispatcher.session, handoff.recipientActor);
  await say(desk, supervisor, { role: 'user', content: 'The desk is yours.' });

  const common = { mode: 'broadcast', broadcastId: 'brc_demo' };
  const broadcast = REVIEWERS.map((agentId) => assignment(desk, supervisor, agentId, common));
  const outcomes = await executeBroadcastHandoff(deps, broadcast, tenantId);
  const reviewers = await expectRecipients(desk, expectations, supervisor, broadcast, outcomes);
  supervisor.session.status = 'awaiting_merge';
  supervisor.session.ownerVersion += 1;
  for (const [index, reviewer] of reviewers.entries()) {
    const content = `Review what the agents answered: part ${index + 1} of ${reviewers.length}.`;
    await say(desk, reviewer, { role: 'user', content });
  }
}

/** @returns {import('namzu-native').HandoffAssignment} */
function assignment({ tenantId, projectId }, { session }, agentId, kind) {
  return {
    id: generateHandoffId(),
    sourceSessionId: session.id,
    tenantId,
    projectId,
    sourceActor: session.currentActor,
    recipientActor: { kind: 'agent', agentId, tenantId },
    expectedOwnerVersion: session.ownerVersion,
    createdAt: new Date(),
    ...kind,
  };
}

/** What a handoff makes for each recipient: a session, an edge to it, and a workspace. */
async function expectRecipients(desk, expectations, source, assignments, outcomes) {
  const { store, tenantId } = desk;
  const edges = await store.getChildren(source.session.id, tenantId);
  const recipients = [];
  for (const [index, { newSessionId, workspaceId }] of outcomes.entries()) {
    const { id, mode, broadcastId, sourceActor, recipientActor } = assignments[index];
    const created = await store.getSession(newSessionId, tenantId);
    const recipient = newSession(desk, created, recipientActor, source.ancestry);
    recipient.session.workspaceId = workspaceId;
    recipients.push(recipient);

    const made = edges.find(({ childSessionId }) => childSessionId === newSessionId);
    const edge = newEdge(made, {
      parentSessionId: source.session.id,
      childSessionId: newSessionId,
      kind: 'user_handoff',
      spawnedBy: sourceActor,
    });
    edge.workspaceId = workspaceId;
    if (mode === 'broadcast') edge.broadcastGroupId = broadcastId;
    source.children.push(edge);

    const label = `${mode === 'single' ? 'handoff' : 'broadcast'}-${id}`;
    const path = join(expectations.repository, '.namzu', 'worktrees', label);
    expectations.workspaces.push({ id: workspaceId, path, branch: `namzu/${label}` });
  }
  source.children.sort(bySpawnTime);
  expectations.sessions.push(...recipients);
  return recipients;
}

function passOwnership(session, recipient) {
  session.previousActors = [...session.previousActors, session.currentActor];
  session.currentActor = recipient;
  session.ownerVersion += 1;
}
