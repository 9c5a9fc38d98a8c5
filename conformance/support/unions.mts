import type { SessionStatus, SubSessionStatus } from 'namzu-native';

export const SESSION_STATUSES: readonly SessionStatus[] = [
  'active',
  'idle',
  'locked',
  'awaiting_hitl',
  'awaiting_merge',
  'failed',
  'archived',
];

export const SUB_SESSION_STATUSES: readonly SubSessionStatus[] = [
  'pending',
  'active',
  'idle',
  'failed',
  'awaiting_merge',
  'pending_merge',
  'merging',
  'merged',
  'merge_conflict',
  'merge_rejected',
  'archived',
];
