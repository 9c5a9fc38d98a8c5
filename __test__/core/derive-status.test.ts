import { deriveStatus, type RunStatus, type Session, type SessionStatus } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { SESSION_STATUSES } from '../support/unions.js';

const RUN_STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'awaiting_hitl',
  'awaiting_hitl_resolution',
  'awaiting_subsession',
  'succeeded',
  'failed',
  'cancelled',
];

function sessionOf(status: SessionStatus): Session {
  return {
    id: 'ses_x',
    projectId: 'prj_x',
    tenantId: 'tnt_x',
    status,
    currentActor: null,
    previousActors: [],
    workspaceId: null,
    ownerVersion: 0,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
}

const runs = (...statuses: RunStatus[]) => statuses.map((status) => ({ status }));

const KEPT: readonly SessionStatus[] = ['locked', 'awaiting_merge', 'archived'];
const DERIVED = SESSION_STATUSES.filter((status) => !KEPT.includes(status));

const RULES: readonly [SessionStatus, readonly RunStatus[]][] = [
  ['idle', []],
  ['active', ['running']],
  ['active', ['awaiting_subsession']],
  ['active', ['failed', 'awaiting_hitl', 'running']],
  ['active', ['awaiting_hitl_resolution', 'awaiting_subsession', 'failed']],
  ['awaiting_hitl', ['awaiting_hitl']],
  ['awaiting_hitl', ['awaiting_hitl_resolution']],
  ['awaiting_hitl', ['failed', 'awaiting_hitl', 'succeeded']],
  ['awaiting_hitl', ['queued', 'awaiting_hitl_resolution']],
  ['failed', ['failed']],
  ['failed', ['failed', 'failed', 'failed']],
  ['idle', ['failed', 'succeeded']],
  ['idle', ['failed', 'cancelled']],
  ['idle', ['failed', 'queued']],
  ['idle', ['queued']],
  ['idle', ['succeeded']],
  ['idle', ['cancelled', 'succeeded', 'queued']],
];

describe('deriveStatus', () => {
  describe.each(DERIVED)('of a session that is %s', (status) => {
    it.each(RULES)('answers %s for runs %j', (expected, statuses) => {
      expect(deriveStatus(sessionOf(status), runs(...statuses))).toBe(expected);
    });
  });

  it.each(KEPT)('keeps %s, whatever the runs', (status) => {
    expect(deriveStatus(sessionOf(status), [])).toBe(status);
    for (const one of RUN_STATUSES) {
      for (const two of RUN_STATUSES) {
        expect(deriveStatus(sessionOf(status), runs(one, two))).toBe(status);
      }
    }
  });

  it('does not depend on the order of the runs', () => {
    for (const one of RUN_STATUSES) {
      for (const two of RUN_STATUSES) {
        const session = sessionOf('idle');
        expect(deriveStatus(session, runs(one, two))).toBe(deriveStatus(session, runs(two, one)));
      }
    }
  });

  it('is pure: it changes neither argument, and accepts frozen ones', () => {
    const session = Object.freeze(sessionOf('idle'));
    const list = Object.freeze(runs('running'));
    expect(deriveStatus(session, list)).toBe('active');
    expect(session).toStrictEqual(sessionOf('idle'));
    expect(list).toStrictEqual(runs('running'));
  });
});
