import type {
  AgentSummaryTooLongError,
  AncestryCycleError,
  ArchiveNotFoundError,
  ArtifactRefCycleError,
  AttachedSubSessionsError,
  CorruptRecordError,
  DelegationCapacityExceeded,
  FilesystemMigrationError,
  HandoffLockRejected,
  HandoffVersionConflict,
  InterventionDepthExceeded,
  InvalidArgumentError,
  InvalidIdError,
  NotFoundError,
  SessionAlreadySummarizedError,
  SessionId,
  StalePrefixError,
  StoreError,
  StoreIoError,
  SubSessionNotArchivableError,
  SubSessionNotArchivedError,
  WorkspaceBackendError,
} from 'namzu-native';
import { ArchiveNotConfiguredError, StaleSessionError, TenantIsolationError } from 'namzu-native';
import type { Equal, Expect, OptionalKeys } from './assert.js';

type DetailsOf<E extends { details: unknown }> = E['details'];

export type Details = [
  Expect<Equal<keyof DetailsOf<TenantIsolationError>, 'requested' | 'resource'>>,
  Expect<Equal<keyof DetailsOf<AncestryCycleError>, 'sessionId' | 'cyclePath'>>,
  Expect<
    Equal<keyof DetailsOf<StaleSessionError>, 'sessionId' | 'expectedVersion' | 'actualVersion'>
  >,
  Expect<Equal<keyof DetailsOf<InvalidIdError>, 'kind' | 'value' | 'expected'>>,
  Expect<Equal<keyof DetailsOf<InvalidArgumentError>, 'argument' | 'expected' | 'received'>>,
  Expect<Equal<keyof DetailsOf<StoreIoError>, 'op' | 'path' | 'code' | 'outcome' | 'place'>>,
  Expect<Equal<keyof DetailsOf<NotFoundError>, 'kind' | 'id'>>,
  Expect<Equal<keyof DetailsOf<AttachedSubSessionsError>, 'sessionId' | 'edges'>>,
  Expect<Equal<StoreError['place'], string | undefined>>,
  Expect<Equal<StoreError['code'], string>>,
  Expect<Equal<DetailsOf<StoreIoError>['outcome'], 'not_done' | 'done' | 'unknown'>>,
  Expect<Equal<keyof DetailsOf<CorruptRecordError>, 'path' | 'line' | 'reason'>>,
  Expect<Equal<OptionalKeys<DetailsOf<CorruptRecordError>>, 'line'>>,
  Expect<Equal<keyof DetailsOf<SessionAlreadySummarizedError>, 'sessionId' | 'existingSummaryId'>>,
  Expect<Equal<keyof DetailsOf<AgentSummaryTooLongError>, 'actual' | 'max'>>,
  Expect<Equal<keyof DetailsOf<HandoffVersionConflict>, 'sessionId' | 'expected' | 'actual'>>,
  Expect<Equal<keyof DetailsOf<HandoffLockRejected>, 'sessionId' | 'reason' | 'runId'>>,
  Expect<Equal<OptionalKeys<DetailsOf<HandoffLockRejected>>, 'runId'>>,
  Expect<
    Equal<
      keyof DetailsOf<DelegationCapacityExceeded>,
      'dimension' | 'current' | 'limit' | 'sessionId'
    >
  >,
  Expect<Equal<keyof DetailsOf<ArtifactRefCycleError>, 'startSubSessionId' | 'cyclePath'>>,
  Expect<Equal<keyof DetailsOf<InterventionDepthExceeded>, 'subSessionId' | 'depth' | 'limit'>>,
  Expect<
    Equal<
      DetailsOf<SubSessionNotArchivableError>['reason'],
      'missing' | 'already_archived' | 'not_idle'
    >
  >,
  Expect<
    Equal<
      DetailsOf<SubSessionNotArchivedError>['reason'],
      'missing' | 'not_archived' | 'missing_archive_ref'
    >
  >,
  Expect<Equal<DetailsOf<ArchiveNotFoundError>['reason'], 'missing' | 'incomplete' | 'corrupt'>>,
  Expect<Equal<keyof DetailsOf<WorkspaceBackendError>, 'op' | 'kind' | 'cause'>>,
  Expect<Equal<keyof DetailsOf<FilesystemMigrationError>, 'op' | 'path' | 'cause'>>,
  Expect<Equal<DetailsOf<StalePrefixError>['kind'], 'unknown_prefix' | 'thd_rejected'>>,
];

export const constructed: Error[] = [
  new TenantIsolationError({ requested: 'tnt_x', resource: 'session(ses_x)' }),
  new StaleSessionError({ sessionId: 'ses_x', expectedVersion: 0, actualVersion: 1 }),
  new ArchiveNotConfiguredError(),
];

export function caught(error: unknown): SessionId | undefined {
  return error instanceof StaleSessionError ? error.details.sessionId : undefined;
}

// @ts-expect-error the details are required
export const withoutDetails = new TenantIsolationError();
