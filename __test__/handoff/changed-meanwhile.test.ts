/** What happens to a source between the lock and the commit, and what no handoff may do to it. */

import {
  executeBroadcastHandoff,
  executeSingleHandoff,
  HandoffLockRejected,
  InvalidArgumentError,
  type SessionStatus,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { broadcast, makeStore, STORE_KINDS, scene, single } from './fixtures';

const LAST_VERSION = Number.MAX_SAFE_INTEGER;

describe.each(['memory', 'disk'] as const)('a status that is set during a handoff, %s', (kind) => {
  const meanwhile = async (status: SessionStatus) => {
    const s = await scene(makeStore(kind));
    const create = s.driver.create.bind(s.driver);
    s.driver.create = async (params) => {
      if (s.driver.labels.length === 0) {
        const locked = await s.store.getSession(s.source.id, s.tenant);
        expect(locked?.status).toBe('locked');
        await s.store.updateSession({ ...s.source, status }, s.tenant);
      }
      return create(params);
    };
    return s;
  };

  it.each<[SessionStatus, string, string]>([
    ['archived', 'active_run', 'pending_subsession'],
    ['failed', 'active_run', 'pending_subsession'],
    ['awaiting_hitl', 'pending_hitl', 'pending_hitl'],
    ['idle', 'active_run', 'active_run'],
  ])('%s stays, and the handoff is undone', async (status, ofSingle, ofBroadcast) => {
    for (const many of [false, true]) {
      const s = await meanwhile(status);
      const running = many
        ? executeBroadcastHandoff(s.deps, broadcast(s, 2), s.tenant)
        : executeSingleHandoff(s.deps, single(s), s.tenant);
      const { details } = await rejectionOf(running, HandoffLockRejected);
      const reason = many ? ofBroadcast : ofSingle;
      expect(details).toStrictEqual({ sessionId: s.source.id, reason });
      expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({
        status,
        ownerVersion: 0,
        currentActor: s.source.currentActor,
      });
      expect(await s.store.getChildren(s.source.id, s.tenant)).toEqual([]);
      expect(s.driver.live.size).toBe(0);
      expect(s.sink.names).toEqual(['locked', many ? 'rollback' : 'unlocked']);
    }
  });
});

describe.each(STORE_KINDS)('a source at the last version that can be counted, %s', (kind) => {
  it('is refused before it is locked', async () => {
    const s = await scene(makeStore(kind));
    const last = { ...s.source, ownerVersion: LAST_VERSION };
    await s.store.updateSession(last, s.tenant);
    const at = { expectedOwnerVersion: LAST_VERSION };
    const rows = broadcast(s, 2).map((row) => ({ ...row, ...at }));
    for (const run of [
      () => executeSingleHandoff(s.deps, single(s, at), s.tenant),
      () => executeBroadcastHandoff(s.deps, rows, s.tenant),
    ]) {
      const error = await rejectionOf(run(), InvalidArgumentError);
      expect(error.details.argument).toBe('assignment.expectedOwnerVersion');
      expect(error.message).toContain(String(LAST_VERSION));
    }
    expect(s.sink.names).toEqual([]);
    expect(s.driver.labels).toEqual([]);
    expect(await s.store.getSession(s.source.id, s.tenant)).toMatchObject({
      status: 'idle',
      ownerVersion: LAST_VERSION,
    });
    const before = { ...last, ownerVersion: LAST_VERSION - 1 };
    await s.store.updateSession(before, s.tenant);
    const outcome = await executeSingleHandoff(
      s.deps,
      single(s, { expectedOwnerVersion: LAST_VERSION - 1 }),
      s.tenant,
    );
    expect(outcome.committedOwnerVersion).toBe(LAST_VERSION);
  });
});
