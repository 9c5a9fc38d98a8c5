/**
 * A durable session store for agent applications.
 *
 * Start at {@link DiskSessionStore} or {@link InMemorySessionStore}; both keep
 * the contract of {@link SessionStore}.
 */

import './async-dispose';

export type { AbortSignalLike } from './abort-signal';
export type { ActorRef } from './actor';
export type {
  ArchivalManagerDeps,
  ArchiveBackend,
  ArchiveBundleState,
  ArchiveInput,
  ArchiveOptions,
  ArchiveOutput,
  DiskArchiveBackendConfig,
  KeptWorkspace,
  SubSessionTombstone,
  SweepOptions,
  SweepProgress,
  SweepResult,
  WorkspaceResolver,
} from './archive';
export { ArchivalManager, DiskArchiveBackend } from './archive';
export type { FileUrl } from './arguments';
export type {
  ArtifactBlobDeliverable,
  DeliverableKind,
  DeliverableRef,
  FileDeliverable,
  MessageDeliverable,
  SessionSummaryDeliverable,
} from './deliverable';
export {
  AgentSummaryTooLongError,
  AncestryCycleError,
  ArchiveNotConfiguredError,
  ArchiveNotFoundError,
  ArtifactRefCycleError,
  AttachedSubSessionsError,
  CorruptRecordError,
  DelegationCapacityExceeded,
  FilesystemMigrationError,
  HandoffLockRejected,
  HandoffVersionConflict,
  IdempotencyConflictError,
  InterventionDepthExceeded,
  InvalidArgumentError,
  InvalidIdError,
  LogTooLargeError,
  NotFoundError,
  SessionAlreadySummarizedError,
  SessionEvictedError,
  StalePrefixError,
  StaleSessionError,
  StoreClosedError,
  StoreError,
  StoreIoError,
  SubSessionNotArchivableError,
  SubSessionNotArchivedError,
  TenantIsolationError,
  WorkspaceBackendError,
} from './errors';
export type {
  BlockingRun,
  BroadcastHandoffDeps,
  CapacityDimension,
  CapacityValidator,
  HandoffAssignment,
  HandoffBroadcastRollbackEvent,
  HandoffCommittedEvent,
  HandoffEventSink,
  HandoffLockedEvent,
  HandoffLockRejectedReason,
  HandoffMode,
  HandoffOutcome,
  HandoffRecoveryDeps,
  HandoffUnlockedEvent,
  RecoveredHandoff,
  RunStatusResolver,
  SingleHandoffDeps,
} from './handoff';
export {
  DefaultCapacityValidator,
  executeBroadcastHandoff,
  executeSingleHandoff,
  NOOP_HANDOFF_SINK,
  NOOP_RUN_STATUS_RESOLVER,
  recoverHandoffs,
} from './handoff';
export type {
  AgentId,
  ArchiveBackendRef,
  DeliverableId,
  HandoffId,
  KnowledgeBaseRef,
  MemoryStoreRef,
  MessageId,
  ProjectId,
  RunId,
  SessionId,
  SubSessionId,
  SummaryId,
  SystemRoleId,
  TaskId,
  TenantId,
  ThreadId,
  ThreadIdDeprecated,
  UserId,
  VaultRef,
  WorkspaceId,
} from './ids';
export {
  generateDeliverableId,
  generateHandoffId,
  generateMessageId,
  generateProjectId,
  generateRunId,
  generateSessionId,
  generateSubSessionId,
  generateSummaryId,
  generateTaskId,
  generateTenantId,
  generateThreadId,
  generateWorkspaceId,
  UNKNOWN_TENANT_ID,
} from './ids';
export type { InterventionChainLoader, PrevArtifactNode } from './intervention';
export { validatePrevArtifactChain } from './intervention';
export type { LinkageView } from './linkage';
export { getAncestry, getChildren, orderChildren } from './linkage';
export type { LogContext, Logger, LogLevel } from './logger';
export { configureLogger, getRootLogger } from './logger';
export type {
  AssistantMessage,
  BaseMessage,
  CacheHint,
  Message,
  MessageRole,
  SessionMessage,
  SystemMessage,
  ToolCall,
  ToolMessage,
  UserMessage,
} from './message';
export {
  createAssistantMessage,
  createSystemMessage,
  createToolMessage,
  createUserMessage,
} from './message';
export type {
  FilesystemMigrationEvent,
  FilesystemMigrationOptions,
  FilesystemMigrationProgress,
  FilesystemMigrationResult,
  FilesystemMigrationSink,
  FilesystemMigrator,
  MigrationMarker,
  MigrationWarning,
  MigrationWarningSink,
} from './migration';
export {
  acceptLegacyThreadId,
  acquireMigrationLock,
  DefaultFilesystemMigrator,
  LEGACY_DEFAULT_PROJECT_PREFIX,
  LEGACY_DEFAULT_SESSION_ID,
  LOCK_REL_PATH,
  MARKER_REL_PATH,
  MIGRATION_VERSION,
  NOOP_FILESYSTEM_MIGRATION_SINK,
  NOOP_MIGRATION_WARNING_SINK,
  readMarker,
  rejectLegacyPrefix,
  releaseMigrationLock,
  WINDOW_OPEN,
  writeMarker,
} from './migration';
export type { DamagedRecord, Page, PageOptions } from './page';
export {
  isAgentId,
  isArchiveBackendRef,
  isDeliverableId,
  isHandoffId,
  isKnowledgeBaseRef,
  isMemoryStoreRef,
  isMessageId,
  isProjectId,
  isRunId,
  isSessionId,
  isSubSessionId,
  isSummaryId,
  isSystemRoleId,
  isTaskId,
  isTenantId,
  isUserId,
  isVaultRef,
  isWorkspaceId,
  parseAgentId,
  parseArchiveBackendRef,
  parseDeliverableId,
  parseHandoffId,
  parseKnowledgeBaseRef,
  parseMemoryStoreRef,
  parseMessageId,
  parseProjectId,
  parseRunId,
  parseSessionId,
  parseSubSessionId,
  parseSummaryId,
  parseSystemRoleId,
  parseTaskId,
  parseTenantId,
  parseThreadId,
  parseUserId,
  parseVaultRef,
  parseWorkspaceId,
} from './parse-ids';
export type { Project, ProjectConfig, ProjectConfigPatch, Tenant } from './project';
export type { RetentionPolicy } from './retention';
export { RETENTION_POLICY_DISABLED } from './retention';
export type {
  Lineage,
  RunEventSchemaVersion,
  RunStatus,
  SubsessionIdledEvent,
  SubsessionLifecycleEvent,
  SubsessionMessagedEvent,
  SubsessionSpawnedEvent,
} from './run';
export { RUN_EVENT_SCHEMA_VERSION } from './run';
export type { Session, SessionStatus } from './session';
export { deriveStatus } from './session';
export type { AdoptionProgress, DiskSessionStoreConfig, Durability } from './store/disk';
export { DiskSessionStore } from './store/disk';
export type {
  AppendOptions,
  ClosableSessionStore,
  CreateConfiguredProjectParams,
  ExtendedSessionStore,
  ListSessionsOptions,
  MessageRange,
} from './store/extended-session-store';
export { InMemorySessionStore } from './store/memory';
export type {
  CreateProjectParams,
  CreateSessionParams,
  CreateSubSessionParams,
  SessionStore,
} from './store/session-store';
export type {
  CompletionMode,
  FailureMode,
  SessionView,
  SubSession,
  SubSessionKind,
  SubSessionStatus,
} from './sub-session';
export type {
  SessionSummaryKeyDecision,
  SessionSummaryOutcome,
  SessionSummaryOutcomeStatus,
  SessionSummaryRef,
} from './summary';
export { AGENT_SUMMARY_MAX_CHARS } from './summary';
export type { MaterializeInput, SessionSummaryMaterializerDeps } from './summary-materializer';
export { SessionSummaryMaterializer } from './summary-materializer';
export type { VerifyFinding, VerifyFindingKind, VerifySeverity } from './verify';
export { verify } from './verify';
export type {
  BackendMeta,
  BranchWorkspaceParams,
  CreateWorkspaceParams,
  CustomBackendMeta,
  ExecFile,
  ExecFileResult,
  GitWorktreeBackendMeta,
  GitWorktreeDriverConfig,
  PathBuilder,
  WorkspaceBackendDriver,
  WorkspaceBackendKind,
  WorkspaceBackendMeta,
  WorkspaceInspection,
  WorkspaceKeepReason,
  WorkspaceRef,
  WorkspaceRegistry,
  WorktreeListEntry,
} from './workspace';
export {
  DefaultPathBuilder,
  GitWorktreeDriver,
  parseWorktreeList,
  WorkspaceBackendRegistry,
} from './workspace';
