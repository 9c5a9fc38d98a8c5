import type {
  ArchivalManagerDeps,
  ArchiveBackend,
  ArchiveBackendRef,
  ArchiveBundleState,
  ArchiveInput,
  ArchiveOptions,
  ArchiveOutput,
  DiskArchiveBackendConfig,
  FileUrl,
  KeptWorkspace,
  RetentionPolicy,
  SessionId,
  SessionMessage,
  SessionStore,
  SessionSummaryRef,
  SubSessionId,
  SubSessionTombstone,
  SummaryId,
  SweepOptions,
  SweepProgress,
  SweepResult,
  TenantId,
  WorkspaceId,
  WorkspaceKeepReason,
  WorkspaceRef,
  WorkspaceResolver,
} from 'namzu-native';
import { ArchivalManager, DiskArchiveBackend, type RETENTION_POLICY_DISABLED } from 'namzu-native';
import type { Equal, Expect, OptionalKeys, ReadonlyKeys } from './assert.js';

interface ContractBackend {
  readonly kind: string;
  store(input: {
    readonly subSessionId: SubSessionId;
    readonly sessionId: SessionId;
    readonly tenantId: TenantId;
    readonly workspace?: WorkspaceRef;
    readonly summaryRef?: SessionSummaryRef;
    readonly messages: readonly SessionMessage[];
  }): Promise<{ readonly archiveRef: ArchiveBackendRef; readonly archivedAt: Date }>;
  restore(ref: ArchiveBackendRef): Promise<ArchiveInput>;
}

export type Shapes = [
  Expect<Equal<ReadonlyKeys<ArchiveInput>, keyof ArchiveInput>>,
  Expect<Equal<OptionalKeys<ArchiveInput>, 'workspace' | 'summaryRef'>>,
  Expect<Equal<ReadonlyKeys<ArchiveOutput>, 'archiveRef' | 'archivedAt'>>,
  Expect<Equal<ReadonlyKeys<SubSessionTombstone>, keyof SubSessionTombstone>>,
  Expect<Equal<OptionalKeys<SubSessionTombstone>, 'summaryRef' | 'keptWorkspaces'>>,
  Expect<Equal<NonNullable<SubSessionTombstone['summaryRef']>, SummaryId>>,
  Expect<Equal<ReadonlyKeys<ArchivalManagerDeps>, keyof ArchivalManagerDeps>>,
  Expect<
    Equal<
      OptionalKeys<ArchivalManagerDeps>,
      'archiveBackend' | 'workspaceResolver' | 'onArchived' | 'onRestored'
    >
  >,
  Expect<Equal<ReturnType<WorkspaceResolver>, Promise<WorkspaceRef | null>>>,
  Expect<Equal<Parameters<WorkspaceResolver>, [workspaceId: WorkspaceId, tenantId: TenantId]>>,
  Expect<Equal<OptionalKeys<ArchiveOptions>, 'evict' | 'discardWorkspaces' | 'idleSince'>>,
  Expect<Equal<OptionalKeys<SweepOptions>, keyof SweepOptions>>,
  Expect<Equal<keyof SweepProgress, 'done' | 'total' | 'subSessionId'>>,
  Expect<Equal<keyof SweepResult, 'archived' | 'failed' | 'kept' | 'damaged' | 'keptWorkspaces'>>,
  Expect<Equal<SweepResult['failed'][number]['error'], unknown>>,
  Expect<Equal<NonNullable<SweepResult['keptWorkspaces']>, readonly KeptWorkspace[]>>,
  Expect<Equal<KeptWorkspace['why'], WorkspaceKeepReason>>,
  Expect<Equal<WorkspaceKeepReason, 'locked' | 'uncommitted' | 'unreachable'>>,
  Expect<Equal<typeof RETENTION_POLICY_DISABLED, RetentionPolicy>>,
  Expect<Equal<DiskArchiveBackendConfig['rootDir'], string | FileUrl>>,
  Expect<Equal<Awaited<ReturnType<DiskArchiveBackend['verify']>>, readonly ArchiveBundleState[]>>,
];

export type Answers = [
  Expect<Equal<ReturnType<ArchivalManager['archive']>, Promise<SubSessionTombstone>>>,
  Expect<Equal<ReturnType<ArchivalManager['restore']>, Promise<void>>>,
  Expect<Equal<ReturnType<ArchivalManager['restoreSession']>, Promise<void>>>,
  Expect<Equal<ReturnType<ArchivalManager['sweep']>, Promise<SweepResult>>>,
];

declare const theirs: ContractBackend;
declare const store: SessionStore;

export const backendToTheirs: ContractBackend = new DiskArchiveBackend({ rootDir: './archive' });
export const backendToOurs: ArchiveBackend = theirs;

export const manager = new ArchivalManager({
  sessionStore: store,
  workspaceRegistry: {
    get() {
      throw new Error('none');
    },
  },
  archiveBackend: theirs,
  workspaceResolver: async () => null,
});

export function refusals(tombstone: SubSessionTombstone, policy: RetentionPolicy): void {
  // @ts-expect-error a tombstone is what was archived
  tombstone.archivedAt = new Date();
  // @ts-expect-error a policy is replaced, not changed
  policy.idleSubSessionTTL = 1;
  // @ts-expect-error a session is not archived, a sub-session is
  manager.archive(tombstone.sessionId, tombstone.tenantId);
  // @ts-expect-error a summary is no ref of a bundle
  theirs.restore('sum_x');
}
