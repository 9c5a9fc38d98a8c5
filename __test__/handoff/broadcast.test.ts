import {
  executeBroadcastHandoff,
  executeSingleHandoff,
  generateSessionId,
  generateTenantId,
  type HandoffAssignment,
  InvalidArgumentError,
  type SessionStatus,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { agent, broadcast, makeStore, STORE_KINDS, scene, single, user } from './fixtures';

describe.each(STORE_KINDS)('executeBroadcastHandoff over a %s store', (kind) => {
  const setUp = () => scene(makeStore(kind));

  it('gives each recipient a session, an edge and a workspace', async () => {
    const s = await setUp();
    const assignments = broadcast(s, 3);
    const outcomes = await executeBroadcastHandoff(s.deps, assignments, s.tenant);

    expect(s.driver.labels).toEqual(assignments.map(({ id }) => `broadcast-${id}`));
    expect(outcomes.map(({ assignmentId }) => assignmentId)).toEqual(
      assignments.map(({ id }) => id),
    );
    expect(outcomes.map(({ workspaceId }) => workspaceId)).toEqual([...s.driver.live.keys()]);
    expect(outcomes.every(({ committedOwnerVersion }) => committedOwnerVersion === 1)).toBe(true);
    expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({
      status: 'awaiting_merge',
      currentActor: user(s.tenant, 'first'),
      previousActors: [],
      ownerVersion: 1,
    });
    const edges = await s.store.getChildren(s.source.id, s.tenant);
    for (const [row, { newSessionId, workspaceId }] of outcomes.entries()) {
      const recipient = await s.store.getSession(newSessionId, s.tenant);
      expect(recipient?.currentActor).toEqual(assignments[row]?.recipientActor);
      const edge = edges.find(({ childSessionId }) => childSessionId === newSessionId);
      expect(edge).toMatchObject({ kind: 'user_handoff', spawnedBy: user(s.tenant, 'first') });
      if (kind === 'js') continue;
      expect(recipient?.workspaceId).toBe(workspaceId);
      expect(edge).toMatchObject({ workspaceId, broadcastGroupId: 'brc_1' });
    }
    expect(s.sink.names).toEqual(['locked', 'committed']);
    expect(s.sink.events[1]).toMatchObject({
      newVersion: 1,
      handoffIds: assignments.map(({ id }) => id),
    });
  });

  it('checks the assignments in the order of the contract, before it looks at anything', async () => {
    const s = await setUp();
    const other = generateTenantId();
    const change = (...rows: Partial<HandoffAssignment>[]) =>
      broadcast(s, rows.length).map((row, n) => ({ ...row, ...rows[n] }));
    const refused = async (rows: HandoffAssignment[], text: string | RegExp) =>
      expect(executeBroadcastHandoff(s.deps, rows, s.tenant)).rejects.toThrow(text);
    const invalid = async (rows: HandoffAssignment[], text: string, argument: string) => {
      const error = await rejectionOf(
        executeBroadcastHandoff(s.deps, rows, s.tenant),
        InvalidArgumentError,
      );
      expect(error.message).toContain(text);
      expect(error.details).toMatchObject({ argument, expected: expect.stringContaining(text) });
      expect(error.code).toBe('NAMZU_INVALID_ARGUMENT');
    };

    const alone = 'single-recipient handoffs must use executeSingleHandoff';
    await invalid([], 'assignments must not be empty', 'assignments');
    await invalid(broadcast(s, 1), alone, 'assignments');
    const bad = change({ mode: 'single', broadcastId: undefined }, {});
    await invalid(bad, 'mode', 'assignments.0.mode');
    const nameless = change({ broadcastId: undefined, tenantId: other }, {});
    await invalid(nameless, 'broadcastId', 'assignments.0.broadcastId');
    const wrong = { sourceSessionId: generateSessionId(), broadcastId: 'brc_2' };
    await refused(change({}, { tenantId: other, ...wrong }), other.length > 0 ? /hof_/ : '');
    await refused(change({}, wrong), 'source');
    await refused(change({}, { broadcastId: 'brc_2', expectedOwnerVersion: 2 }), 'broadcastId');
    await refused(change({}, { expectedOwnerVersion: 2, projectId: 'prj_x' }), 'Version');
    await refused(change({}, { projectId: 'prj_x', mode: 'single' }), 'project');
    await invalid(change({}, { mode: 'single' }), 'mode', 'assignments.1.mode');
    const twice = { recipientActor: agent(s.tenant, 'twice') };
    const rows = change(twice, {}, twice);
    await invalid(rows, 'duplicate recipient', 'assignments.2.recipientActor');
    await expect(executeBroadcastHandoff(s.deps, 7 as never, s.tenant)).rejects.toMatchObject({
      name: 'InvalidArgumentError',
    });
    expect(s.sink.names).toEqual([]);
  });

  it.each<[SessionStatus, string]>([
    ['active', 'active_run'],
    ['locked', 'pending_subsession'],
    ['awaiting_hitl', 'pending_hitl'],
    ['awaiting_merge', 'pending_subsession'],
  ])('refuses a session that is %s', async (status, reason) => {
    const s = await setUp();
    await s.store.updateSession({ ...s.source, status }, s.tenant);
    await expect(executeBroadcastHandoff(s.deps, broadcast(s, 2), s.tenant)).rejects.toMatchObject({
      name: 'HandoffLockRejected',
      details: { reason },
    });
  });

  it('counts all recipients against the width, before the depth', async () => {
    const s = await setUp();
    await executeSingleHandoff(s.deps, single(s), s.tenant);
    const rows = broadcast(s, 8).map((row) => ({ ...row, expectedOwnerVersion: 1 }));
    await expect(executeBroadcastHandoff(s.deps, rows, s.tenant)).rejects.toMatchObject({
      name: 'DelegationCapacityExceeded',
      details: { dimension: 'width', current: 9, limit: 8, sessionId: s.source.id },
    });
    await executeBroadcastHandoff(s.deps, rows.slice(1), s.tenant);
  });
});
