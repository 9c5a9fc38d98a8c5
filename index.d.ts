// Generated from lib/index.ts by `npm run build`: change it there.

/**
 * Identifiers: one template-literal type for each kind of thing, so that the
 * compiler tells a session id from a project id although both are strings.
 */
/** Id of a tenant, the owner of everything below it. */
export type TenantId = `tnt_${string}`;
/** Id of a project. */
export type ProjectId = `prj_${string}`;
/** Id of a session. */
export type SessionId = `ses_${string}`;
/** Id of a sub-session, the edge between a parent session and a child session. */
export type SubSessionId = `sub_${string}`;
/** Id of a stored message. */
export type MessageId = `msg_${string}`;
/** Id of a handoff assignment. */
export type HandoffId = `hof_${string}`;
/** Id of a workspace. */
export type WorkspaceId = `wsp_${string}`;
/** Id of a session summary. */
export type SummaryId = `sum_${string}`;
/** Id of a deliverable. */
export type DeliverableId = `del_${string}`;
/** Id of a run of an agent within a session. */
export type RunId = `run_${string}`;
/** Id of a task. */
export type TaskId = `task_${string}`;
/** Id of a user. */
export type UserId = `usr_${string}`;
/** Id of an agent. */
export type AgentId = `agt_${string}`;
/** Id of a system role. */
export type SystemRoleId = `sys_${string}`;
/** Reference to an archived bundle. */
export type ArchiveBackendRef = `arc_${string}`;
/** Reference to a memory store shared by a project. */
export type MemoryStoreRef = `mms_${string}`;
/** Reference to a vault shared by a project. */
export type VaultRef = `vlt_${string}`;
/** Reference to a knowledge base shared by a project. */
export type KnowledgeBaseRef = `kbs_${string}`;
/**
 * Former name of a project id.
 *
 * @deprecated Use {@link ProjectId}.
 */
export type ThreadId = ProjectId;
/**
 * Former name of a project id.
 *
 * @deprecated Use {@link ProjectId}.
 */
export type ThreadIdDeprecated = ProjectId;
/** The tenant of records that were migrated from a layout that knew no tenants. */
export declare const UNKNOWN_TENANT_ID: TenantId;
/**
 * A fresh {@link TenantId}: `tnt_` and 12 characters drawn uniformly from
 * `0-9a-z` with the operating system's random generator.
 */
export declare function generateTenantId(): TenantId;
/** A fresh {@link ProjectId}: `prj_` and 12 random characters of `0-9a-z`. */
export declare function generateProjectId(): ProjectId;
/**
 * A fresh project id, under its former name: it starts with `prj_` too.
 *
 * @deprecated Use {@link generateProjectId}.
 */
export declare function generateThreadId(): ProjectId;
/** A fresh {@link SessionId}: `ses_` and 12 random characters of `0-9a-z`. */
export declare function generateSessionId(): SessionId;
/** A fresh {@link SubSessionId}: `sub_` and 12 random characters of `0-9a-z`. */
export declare function generateSubSessionId(): SubSessionId;
/** A fresh {@link MessageId}: `msg_` and 12 random characters of `0-9a-z`. */
export declare function generateMessageId(): MessageId;
/** A fresh {@link HandoffId}: `hof_` and 12 random characters of `0-9a-z`. */
export declare function generateHandoffId(): HandoffId;
/** A fresh {@link WorkspaceId}: `wsp_` and 12 random characters of `0-9a-z`. */
export declare function generateWorkspaceId(): WorkspaceId;
/** A fresh {@link SummaryId}: `sum_` and 12 random characters of `0-9a-z`. */
export declare function generateSummaryId(): SummaryId;
/** A fresh {@link DeliverableId}: `del_` and 12 random characters of `0-9a-z`. */
export declare function generateDeliverableId(): DeliverableId;
/** A fresh {@link RunId}: `run_` and 12 random characters of `0-9a-z`. */
export declare function generateRunId(): RunId;
/** A fresh {@link TaskId}: `task_` and 12 random characters of `0-9a-z`. */
export declare function generateTaskId(): TaskId;
/**
 * The given text as a {@link ProjectId}.
 *
 * @throws Error when it does not start with `prj_`.
 */
export declare function parseProjectId(raw: string): ProjectId;
/**
 * The given text as a {@link RunId}.
 *
 * @throws Error when it does not start with `run_`.
 */
export declare function parseRunId(raw: string): RunId;
/**
 * The given text as a project id, `thd_` (the prefix of former releases)
 * accepted as well and kept as it is.
 *
 * @throws Error when it starts with neither `prj_` nor `thd_`.
 * @deprecated Use {@link parseProjectId}.
 */
export declare function parseThreadId(raw: string): ThreadId;
/** A user, an agent or a part of the system; `kind` tells which. */
export type ActorRef = {
  kind: "user";
  userId: UserId;
  tenantId: TenantId;
} | {
  kind: "agent";
  agentId: AgentId;
  tenantId: TenantId;
  /** On whose behalf the agent acts. */
  parentActor?: ActorRef;
} | {
  kind: "system";
  role: SystemRoleId;
  tenantId: TenantId;
};
/** A file. */
export interface FileDeliverable {
  readonly kind: "file";
  readonly id: DeliverableId;
  readonly path: string;
  readonly contentHash: string;
  readonly sizeBytes: number;
}
/** The summary of a session; the only kind that links interventions into a chain. */
export interface SessionSummaryDeliverable {
  readonly kind: "session_summary";
  readonly id: DeliverableId;
  readonly sessionId: SessionId;
  readonly summaryRef: SummaryId;
  readonly at: Date;
}
/** A message of a run. */
export interface MessageDeliverable {
  readonly kind: "message";
  readonly id: DeliverableId;
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly messageId: string;
}
/** A blob in the application's own storage. */
export interface ArtifactBlobDeliverable {
  readonly kind: "artifact_blob";
  readonly id: DeliverableId;
  readonly storageRef: string;
  readonly mediaType?: string;
}
/** Something that a session produced; `kind` tells what. */
export type DeliverableRef = FileDeliverable | SessionSummaryDeliverable | MessageDeliverable | ArtifactBlobDeliverable;
/** The kinds of deliverables. */
export type DeliverableKind = DeliverableRef["kind"];
declare abstract class DetailedError<Details extends object> extends Error {
  /** What went wrong, for a program to read. */
  readonly details: Details;
  constructor(message: string, details: Details, options?: {
    cause?: unknown;
  });
}
/** Archival was asked for, but there is no backend to keep the bundles. */
export declare class ArchiveNotConfiguredError extends Error {
  constructor();
}
interface SubSessionNotArchivableErrorDetails {
  readonly subSessionId: SubSessionId;
  readonly reason: "missing" | "already_archived" | "not_idle";
}
/** A sub-session cannot be archived as it stands. */
export declare class SubSessionNotArchivableError extends DetailedError<SubSessionNotArchivableErrorDetails> {
  constructor(details: SubSessionNotArchivableErrorDetails);
}
interface SubSessionNotArchivedErrorDetails {
  readonly subSessionId: SubSessionId;
  readonly reason: "missing" | "not_archived" | "missing_archive_ref";
}
/** A sub-session cannot be restored, since it is not archived. */
export declare class SubSessionNotArchivedError extends DetailedError<SubSessionNotArchivedErrorDetails> {
  constructor(details: SubSessionNotArchivedErrorDetails);
}
interface ArchiveNotFoundErrorDetails {
  readonly archiveRef: ArchiveBackendRef;
  /** There is no such bundle, it was never finished, or it is damaged. */
  readonly reason: "missing" | "incomplete" | "corrupt";
}
/** A bundle cannot be read back. */
export declare class ArchiveNotFoundError extends DetailedError<ArchiveNotFoundErrorDetails> {
  constructor(details: ArchiveNotFoundErrorDetails);
}
/** Handoffs: how a session passes from one actor to others. */
/** Which of a project's limits on delegation was met. */
export type CapacityDimension = "depth" | "width";
/** What keeps a session from being handed over. */
export type HandoffLockRejectedReason = "active_run" | "pending_hitl" | "pending_subsession";
interface HandoffVersionConflictDetails {
  readonly sessionId: SessionId;
  /** The owner version that the assignment was made for. */
  readonly expected: number;
  /** The owner version that the session has. */
  readonly actual: number;
}
/** The source session changed its owner since the assignment was made. */
export declare class HandoffVersionConflict extends DetailedError<HandoffVersionConflictDetails> {
  constructor(details: HandoffVersionConflictDetails);
}
interface HandoffLockRejectedDetails {
  readonly sessionId: SessionId;
  readonly reason: HandoffLockRejectedReason;
  /** The run that blocks the session, where it is known. */
  readonly runId?: RunId;
}
/** The source session cannot be handed over now. */
export declare class HandoffLockRejected extends DetailedError<HandoffLockRejectedDetails> {
  constructor(details: HandoffLockRejectedDetails);
}
interface DelegationCapacityExceededDetails {
  readonly dimension: CapacityDimension;
  /** The depth, or the number of children, that would result. */
  readonly current: number;
  readonly limit: number;
  /** The parent. */
  readonly sessionId: SessionId;
}
/** The project's limits forbid another level of delegation, or that many delegates. */
export declare class DelegationCapacityExceeded extends DetailedError<DelegationCapacityExceededDetails> {
  constructor(details: DelegationCapacityExceededDetails);
}
interface ArtifactRefCycleErrorDetails {
  readonly startSubSessionId: SubSessionId;
  /** From the start upward; the last id is the one that was met before. */
  readonly cyclePath: readonly SubSessionId[];
}
/** A chain of interventions leads back into itself. */
export declare class ArtifactRefCycleError extends DetailedError<ArtifactRefCycleErrorDetails> {
  constructor(details: ArtifactRefCycleErrorDetails);
}
interface InterventionDepthExceededDetails {
  /** The sub-session that was proposed. */
  readonly subSessionId: SubSessionId;
  readonly depth: number;
  readonly limit: number;
}
/** A chain of interventions is longer than the project allows. */
export declare class InterventionDepthExceeded extends DetailedError<InterventionDepthExceededDetails> {
  constructor(details: InterventionDepthExceededDetails);
}
interface FilesystemMigrationErrorDetails {
  /** The step that failed. */
  readonly op: "acquire_lock" | "enumerate_threads" | "validate_thread_id" | "mkdir_session" | "rename_runs" | "write_project_json" | "write_session_json" | "write_marker";
  readonly path: string;
  readonly cause?: unknown;
}
/** The migration of a root stopped. Running it again continues where it stopped. */
export declare class FilesystemMigrationError extends DetailedError<FilesystemMigrationErrorDetails> {
  constructor(details: FilesystemMigrationErrorDetails);
}
interface StalePrefixErrorDetails {
  readonly rawId: string;
  /** The prefix is none that was ever used, or it is the former `thd_`. */
  readonly kind: "unknown_prefix" | "thd_rejected";
}
/** An id has a prefix that is not accepted here. */
export declare class StalePrefixError extends DetailedError<StalePrefixErrorDetails> {
  constructor(details: StalePrefixErrorDetails);
}
interface TenantIsolationErrorDetails {
  /** The tenant that asked. */
  readonly requested: TenantId;
  /** What it asked for, for example `session(ses_0a1b2c3d4e5f)`. */
  readonly resource: string;
}
/** A tenant asked for what belongs to another. Nothing else is revealed. */
export declare class TenantIsolationError extends DetailedError<TenantIsolationErrorDetails> {
  constructor(details: TenantIsolationErrorDetails);
}
interface AncestryCycleErrorDetails {
  /** Where the walk started. */
  readonly sessionId: SessionId;
  /** From there upward; the last id is the one that was met before. */
  readonly cyclePath: readonly SessionId[];
}
/** A session is, over one or more edges, its own ancestor. */
export declare class AncestryCycleError extends DetailedError<AncestryCycleErrorDetails> {
  constructor(details: AncestryCycleErrorDetails);
}
interface StaleSessionErrorDetails {
  readonly sessionId: SessionId;
  /** The `ownerVersion` that the caller expected. */
  readonly expectedVersion: number;
  /** The `ownerVersion` that is stored. */
  readonly actualVersion: number;
}
/** A session changed its owner since it was read: read it again, then decide again. */
export declare class StaleSessionError extends DetailedError<StaleSessionErrorDetails> {
  constructor(details: StaleSessionErrorDetails);
}
interface InvalidIdErrorDetails {
  /** The type of id, for example `SessionId`. */
  readonly kind: string;
  /** The id as it was given. */
  readonly value: string;
  /** What it should look like. */
  readonly expected: string;
}
/** An id that is no path component was to be written. */
export declare class InvalidIdError extends DetailedError<InvalidIdErrorDetails> {
  constructor(details: InvalidIdErrorDetails);
}
interface InvalidArgumentErrorDetails {
  /** The name of the argument. */
  readonly argument: string;
  /** What it should be. */
  readonly expected: string;
  /** What it is, for example `number 42`. */
  readonly received: string;
}
/** An argument is missing, or of the wrong type or shape. Nothing was written. */
export declare class InvalidArgumentError extends DetailedError<InvalidArgumentErrorDetails> {
  constructor(details: InvalidArgumentErrorDetails, options?: {
    cause?: unknown;
  });
}
interface StoreIoErrorDetails {
  /** What was being done. */
  readonly op: string;
  /** To which file, relative to the store's root. */
  readonly path: string;
  /** The system's error code, for example `EACCES`. */
  readonly code: string;
  /** Whether the change took place: it did not, it did all the same, or nobody can tell. */
  readonly outcome: "not_done" | "done" | "unknown";
}
/** The operating system refused an operation on a store's files. */
export declare class StoreIoError extends DetailedError<StoreIoErrorDetails> {
  constructor(details: StoreIoErrorDetails, options?: {
    cause?: unknown;
  });
}
interface CorruptRecordErrorDetails {
  /** The file, relative to the store's root. */
  readonly path: string;
  /** The damaged line, counted from 1, where the file has lines. */
  readonly line?: number;
  readonly reason: string;
}
/** A file of a store is damaged. Its siblings stay readable. */
export declare class CorruptRecordError extends DetailedError<CorruptRecordErrorDetails> {
  constructor(details: CorruptRecordErrorDetails);
}
/** The store was closed. */
export declare class StoreClosedError extends Error {
  constructor();
}
interface AgentSummaryTooLongErrorDetails {
  /** The length of the text, in UTF-16 code units. */
  readonly actual: number;
  readonly max: number;
}
/** The agent's summary is longer than allowed. */
export declare class AgentSummaryTooLongError extends DetailedError<AgentSummaryTooLongErrorDetails> {
  constructor(details: AgentSummaryTooLongErrorDetails);
}
interface SessionAlreadySummarizedErrorDetails {
  readonly sessionId: SessionId;
  readonly existingSummaryId: SummaryId;
}
/** A session has another summary already, and a summary never changes. */
export declare class SessionAlreadySummarizedError extends DetailedError<SessionAlreadySummarizedErrorDetails> {
  constructor(details: SessionAlreadySummarizedErrorDetails);
}
/** Workspaces: where an agent's files live. */
/** The kinds of backends that provide workspaces. */
export type WorkspaceBackendKind = "git-worktree" | "tmpfs" | "container" | "shared";
interface WorkspaceBackendErrorDetails {
  /** What the backend was doing. */
  readonly op: "create" | "dispose" | "inspect:list" | "inspect:status";
  readonly kind: WorkspaceBackendKind;
  /** The first error's own object. */
  readonly cause?: unknown;
}
/** A backend could not provide, inspect or dispose of a workspace. */
export declare class WorkspaceBackendError extends DetailedError<WorkspaceBackendErrorDetails> {
  constructor(details: WorkspaceBackendErrorDetails);
}
/** Where a run of an agent stands. */
export type RunStatus = "queued" | "running" | "awaiting_hitl" | "awaiting_hitl_resolution" | "awaiting_subsession" | "succeeded" | "failed" | "cancelled";
/** The version of the shape of run events. */
export declare const RUN_EVENT_SCHEMA_VERSION = 2;
/** The type of {@link RUN_EVENT_SCHEMA_VERSION}. */
export type RunEventSchemaVersion = typeof RUN_EVENT_SCHEMA_VERSION;
interface SubsessionEventBase {
  runId: RunId;
  subSessionId: SubSessionId;
  parentSessionId: SessionId;
  lineage: Lineage;
  schemaVersion: RunEventSchemaVersion;
  at: Date;
}
/** A sub-session was created. */
export interface SubsessionSpawnedEvent extends SubsessionEventBase {
  type: "subsession_spawned";
  spawnedBy: ActorRef;
}
/** A message was appended to a sub-session. */
export interface SubsessionMessagedEvent extends SubsessionEventBase {
  type: "subsession_messaged";
  messageId: MessageId;
}
/** A sub-session became idle. */
export interface SubsessionIdledEvent extends SubsessionEventBase {
  type: "subsession_idled";
}
/** An event in the life of a sub-session; `type` tells which. */
export type SubsessionLifecycleEvent = SubsessionSpawnedEvent | SubsessionMessagedEvent | SubsessionIdledEvent;
/**
 * - `active`: a run is working on it
 * - `idle`: nothing is
 * - `locked`: a handoff is changing its owner
 * - `awaiting_hitl`: a run waits for a person
 * - `awaiting_merge`: its delegates have not been merged yet
 * - `failed`: every run of it failed
 * - `archived`: it was moved out of the way
 */
export type SessionStatus = "active" | "idle" | "locked" | "awaiting_hitl" | "awaiting_merge" | "failed" | "archived";
/** A session's record. Its messages are read apart. */
export interface Session {
  id: SessionId;
  projectId: ProjectId;
  tenantId: TenantId;
  status: SessionStatus;
  /** Who owns the session now; `null` when nobody does. */
  currentActor: ActorRef | null;
  /** Who owned it before, oldest first. */
  readonly previousActors: readonly ActorRef[];
  workspaceId: WorkspaceId | null;
  /** Grows by one with each change of the owner; 0 in a new session. */
  ownerVersion: number;
  createdAt: Date;
  updatedAt: Date;
}
/**
 * The status that a session should have, given the runs that work on it. Pure.
 *
 * A session that is `locked`, `awaiting_merge` or `archived` keeps its status.
 * Otherwise the first rule that fits decides: a run that is `running` or
 * `awaiting_subsession` gives `active`; one that waits for a person gives
 * `awaiting_hitl`; at least one run, and all of them failed, gives `failed`;
 * anything else gives `idle`.
 */
export declare function deriveStatus(session: Pick<Session, "status">, runs: readonly {
  readonly status: RunStatus;
}[]): SessionStatus;
/** Where a sub-session stands, from its creation to its merge or its archival. */
export type SubSessionStatus = "pending" | "active" | "idle" | "failed" | "awaiting_merge" | "pending_merge" | "merging" | "merged" | "merge_conflict" | "merge_rejected" | "archived";
/** Why a sub-session exists: an agent was spawned, a user handed over, or somebody intervened. */
export type SubSessionKind = "agent_spawn" | "user_handoff" | "intervention";
/** What a failure of the child does: fail the parent at once, or leave it to the parent. */
export type FailureMode = "fail_fast" | "delegate";
/** How the child's work reaches the parent: as a summary, or merged back. */
export type CompletionMode = "summary_ref" | "merge_back";
/** The edge from a parent session to a child session. */
export interface SubSession {
  id: SubSessionId;
  parentSessionId: SessionId;
  childSessionId: SessionId;
  kind: SubSessionKind;
  status: SubSessionStatus;
  spawnedBy: ActorRef;
  spawnedAt: Date;
  failureMode: FailureMode;
  completionMode: CompletionMode;
  workspaceId: WorkspaceId | null;
  /** What an intervention continues from. */
  prevArtifactRef?: DeliverableRef;
  /** The same for all edges of one broadcast. */
  broadcastGroupId?: string;
  summaryRef?: SummaryId;
  /** Where the bundle is; set while the sub-session is archived. */
  archiveRef?: ArchiveBackendRef;
  /** Set while the sub-session is archived. */
  archivedAt?: Date;
  updatedAt: Date;
}
/** Where a session stands in its tree. */
export interface Lineage {
  parentSessionId: SessionId;
  rootSessionId: SessionId;
  /** Number of edges from the root; 0 at the root itself. */
  depth: number;
}
/** A session with its surroundings, all of one instant. */
export interface SessionView {
  session: Session;
  /** The edges one level down, ordered by `spawnedAt`, then id. */
  children: readonly SubSession[];
  /** From the root to the session itself. */
  ancestry: readonly SessionId[];
}
/** A source of edges. */
export interface LinkageView {
  /** The edges that name the session as parent, in any order. */
  findChildSubSessions(parentId: SessionId): readonly SubSession[];
  /** The edge that names the session as child, or `null` when it is a root. */
  findParentSubSession(childId: SessionId): SubSession | null;
}
/**
 * The edges one level below a session, in the order in which the view answers
 * them; see {@link orderChildren}.
 */
export declare function getChildren(view: LinkageView, sessionId: SessionId): readonly SubSession[];
/**
 * The sessions from the root down to `sessionId` itself. A session that the
 * view does not know answers `[sessionId]`.
 *
 * @throws {@link AncestryCycleError} when the walk upward meets a session twice.
 */
export declare function getAncestry(view: LinkageView, sessionId: SessionId): readonly SessionId[];
/** The same edges in a new array, ordered by `spawnedAt`, then by id. */
export declare function orderChildren(children: readonly SubSession[]): SubSession[];
/** Who speaks in a message. */
export type MessageRole = "system" | "user" | "assistant" | "tool";
/** How a model provider may cache the prompt up to and including a message. */
export type CacheHint = "cache" | "ephemeral" | "none";
/** A call of a tool that an assistant asks for. */
export interface ToolCall {
  /** Names the call; the answering {@link ToolMessage} repeats it. */
  id: string;
  type: "function";
  function: {
    name: string;
    /** The arguments as the model wrote them, usually the text of a JSON object. */
    arguments: string;
  };
}
/** What every message may carry. */
export interface BaseMessage {
  role: MessageRole;
  content: string | null;
  /** Milliseconds since 1970-01-01 UTC, as `Date.now()` answers. */
  timestamp?: number;
  cacheHint?: CacheHint;
}
/** Instructions to the model. */
export interface SystemMessage extends BaseMessage {
  role: "system";
  content: string;
}
/** What a user said. */
export interface UserMessage extends BaseMessage {
  role: "user";
  content: string;
}
/** What the model answered: text, tool calls, or both. */
export interface AssistantMessage extends BaseMessage {
  role: "assistant";
  content: string | null;
  toolCalls?: ToolCall[];
}
/** What a tool answered to one call. */
export interface ToolMessage extends BaseMessage {
  role: "tool";
  content: string;
  /** The {@link ToolCall} that this answers. */
  toolCallId: string;
}
/** A message of a conversation; `role` tells which kind. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
/** A message as a store keeps it: the message itself in an envelope. */
export interface SessionMessage {
  readonly id: MessageId;
  readonly sessionId: SessionId;
  readonly tenantId: TenantId;
  readonly message: Message;
  /** When the store accepted the message. */
  readonly at: Date;
}
/** A system message, stamped with the current time. */
export declare function createSystemMessage(content: string, cacheHint?: CacheHint): SystemMessage;
/** A user message, stamped with the current time. */
export declare function createUserMessage(content: string): UserMessage;
/**
 * An assistant message, stamped with the current time. `content` is `null` when
 * the model only called tools. The key `toolCalls` is always set, if only to
 * `undefined`.
 */
export declare function createAssistantMessage(content: string | null, toolCalls?: ToolCall[]): AssistantMessage;
/** A tool's answer to the call `toolCallId`, stamped with the current time. */
export declare function createToolMessage(content: string, toolCallId: string): ToolMessage;
/** Names and values that a migration is known by. */
/** The layout that a migration leads to. */
export declare const MIGRATION_VERSION = "0.2.0";
/** Where the marker of a migrated root is, relative to the root. */
export declare const MARKER_REL_PATH: string;
/** Where the lock of a migration is while it runs, relative to the root. */
export declare const LOCK_REL_PATH: string;
/** The session that a thread becomes, in a project of its own. */
export declare const LEGACY_DEFAULT_SESSION_ID = "ses_legacy_default";
/** What the id of the project starts with that a thread becomes. */
export declare const LEGACY_DEFAULT_PROJECT_PREFIX = "prj_legacy_";
/** Whether ids with the former prefix `thd_` are still accepted. */
export declare const WINDOW_OPEN = true;
/** Told of an id with a former prefix. */
export interface MigrationWarning {
  readonly kind: "id_prefix_legacy_read";
  /** The id as it was read. */
  readonly legacyId: string;
  /** What it is now. */
  readonly normalizedId: ProjectId;
  readonly at: Date;
  /** There is one warning for each id and process. */
  readonly emittedOncePerProcess: true;
}
/** Takes warnings. */
export interface MigrationWarningSink {
  emit(warning: MigrationWarning): void;
}
/** Drops warnings. */
export declare const NOOP_MIGRATION_WARNING_SINK: MigrationWarningSink;
/**
 * A project id, also when it still has its former prefix: `prj_…` as it is, `thd_X`
 * as `prj_X`, with a warning to `sink` the first time that this process sees it.
 *
 * @throws {StalePrefixError} For anything else.
 */
export declare function acceptLegacyThreadId(raw: string, sink: MigrationWarningSink): ProjectId;
/**
 * Lets every id through that does not have the former prefix.
 *
 * @throws {StalePrefixError} For `thd_…`.
 */
export declare function rejectLegacyPrefix(id: string): void;
/** Says that a root is migrated. */
export interface MigrationMarker {
  /** The layout that it was brought to. */
  readonly version: string;
  readonly at: Date;
  /** The threads that were migrated, and the project that each became. */
  readonly migratedThreads: readonly {
    readonly legacyThreadId: string;
    readonly newProjectId: ProjectId;
  }[];
}
/** The marker in a file; `null` when there is none, or something else. */
export declare function readMarker(path: string): Promise<MigrationMarker | null>;
/**
 * Makes a file hold a marker: in one step, with the folders it needs, and so that it
 * survives a power cut.
 */
export declare function writeMarker(path: string, marker: MigrationMarker): Promise<void>;
/**
 * Takes the lock of a migration: this process has it until it gives it back or ends. One
 * that a process left that is gone is taken over.
 *
 * @throws An error with the `code` `'EEXIST'` when somebody has it.
 */
export declare function acquireMigrationLock(tmpPath: string): Promise<void>;
/** Removes the lock of a migration; fine where there is none. */
export declare function releaseMigrationLock(tmpPath: string): Promise<void>;
/** How a migration ended. */
export interface FilesystemMigrationResult {
  /** The root is migrated, it was before, or it has no `threads/`. */
  readonly kind: "migrated" | "already_migrated" | "noop_no_legacy";
  /** The threads that were migrated now. */
  readonly migratedThreads: MigrationMarker["migratedThreads"];
  readonly markerPath: string;
  /** When the root was migrated. */
  readonly at: Date;
}
/** Told when a root was migrated. */
export interface FilesystemMigrationEvent {
  readonly type: "filesystem.migrated";
  readonly result: FilesystemMigrationResult;
}
/** Takes events of migrations. */
export interface FilesystemMigrationSink {
  emit(event: FilesystemMigrationEvent): void;
}
/** Drops events. */
export declare const NOOP_FILESYSTEM_MIGRATION_SINK: FilesystemMigrationSink;
/** How far a migration has come. */
export interface FilesystemMigrationProgress {
  /** Threads whose records are written; that comes first for all of them. */
  readonly prepared: number;
  /** Threads that are migrated. */
  readonly done: number;
  /** Threads in all. */
  readonly total: number;
}
/** What a migration can be asked for. */
export interface FilesystemMigrationOptions {
  /** Told, a few times a second at most times, how far the migration has come. */
  readonly onProgress?: (progress: FilesystemMigrationProgress) => void;
  /** Stops the migration; the next one goes on where it stopped. */
  readonly signal?: AbortSignal;
}
/** Migrates roots. */
export interface FilesystemMigrator {
  migrate(rootDir: string, options?: FilesystemMigrationOptions): Promise<FilesystemMigrationResult>;
}
/**
 * Migrates a root of the layout before 0.2.0: each `threads/thd_X` becomes the project
 * `prj_legacy_X` of the tenant {@link UNKNOWN_TENANT_ID}, with the session
 * `ses_legacy_default`, to which the thread's `runs/` move.
 *
 * A migration that stops at whatever point is run again and ends as if it had run once.
 * It is for the start of an application, before anything uses the root.
 *
 * @example
 * ```ts
 * const { kind, migratedThreads } = await new DefaultFilesystemMigrator().migrate('./data');
 * if (kind === 'migrated') console.log(`${migratedThreads.length} threads are projects now`);
 * const store = new DiskSessionStore({ rootDir: './data' });
 * ```
 */
export declare class DefaultFilesystemMigrator implements FilesystemMigrator {
  private readonly sink;
  /** @param sink - Told when a root was migrated, before its lock is given back. */
  constructor(sink?: FilesystemMigrationSink);
  /**
   * Migrates a root, unless it is migrated.
   *
   * @throws {FilesystemMigrationError} When it cannot go on; what it did so far stays.
   * @throws The signal's reason, when it is aborted.
   */
  migrate(rootDir: string, options?: FilesystemMigrationOptions): Promise<FilesystemMigrationResult>;
}
/** When sub-sessions of a project are archived. An absent field sets no limit. */
export interface RetentionPolicy {
  /** Archive what has been idle for longer than this many milliseconds. */
  readonly idleSubSessionTTL?: number;
  /** Archive the longest idle above this number. */
  readonly maxSubSessionsPerProject?: number;
  readonly archiveBackend?: ArchiveBackendRef;
}
/** The policy that archives nothing: frozen and empty. */
export declare const RETENTION_POLICY_DISABLED: RetentionPolicy;
/** The owner of projects: no tenant sees anything of another. */
export interface Tenant {
  id: TenantId;
  createdAt: Date;
}
/** Limits and shared resources of a project. */
export interface ProjectConfig {
  /** How many levels of sub-sessions may hang below one another; 4 in a new project. */
  maxDelegationDepth: number;
  /** How many sub-sessions one session may have; 8 in a new project. */
  maxDelegationWidth: number;
  /** How long a chain of interventions may become; 10 in a new project. */
  maxInterventionDepth: number;
  sharedMemoryStores?: readonly MemoryStoreRef[];
  sharedVaults?: readonly VaultRef[];
  sharedKnowledgeBases?: readonly KnowledgeBaseRef[];
  sharedDeliverables?: boolean;
  /** When sub-sessions of the project are archived. Absent: never. */
  retentionPolicy?: RetentionPolicy;
}
/** A body of work of one tenant: sessions belong to a project. */
export interface Project {
  id: ProjectId;
  tenantId: TenantId;
  name: string;
  config: ProjectConfig;
  createdAt: Date;
  updatedAt: Date;
}
/** The longest allowed `agentSummary`, in UTF-16 code units, as `String.length` counts. */
export declare const AGENT_SUMMARY_MAX_CHARS = 4000;
/** How a session ended. */
export type SessionSummaryOutcomeStatus = "succeeded" | "partial" | "failed";
/** How a session ended, and the verdict on it. */
export interface SessionSummaryOutcome {
  readonly status: SessionSummaryOutcomeStatus;
  readonly verdict?: string;
}
/** A decision worth keeping. */
export interface SessionSummaryKeyDecision {
  readonly at: Date;
  readonly summary: string;
}
/** The summary of a session. A session has at most one, and it never changes. */
export interface SessionSummaryRef {
  readonly id: SummaryId;
  /** The session that is summarized. */
  readonly sessionRef: SessionId;
  readonly tenantId: TenantId;
  readonly outcome: SessionSummaryOutcome;
  readonly deliverables: readonly DeliverableRef[];
  /** The agent's own words, at most {@link AGENT_SUMMARY_MAX_CHARS} long. */
  readonly agentSummary: string;
  readonly keyDecisions: readonly SessionSummaryKeyDecision[];
  readonly at: Date;
  readonly materializedBy: "kernel";
}
/** What a new project is made from. */
export interface CreateProjectParams {
  /** Must be the tenant that asks. */
  tenantId: TenantId;
  name: string;
}
/** What a new session is made from. */
export interface CreateSessionParams {
  projectId: ProjectId;
  /** The first owner; `null` when nobody owns the session yet. */
  currentActor: ActorRef | null;
}
/** What a new sub-session is made from. */
export interface CreateSubSessionParams {
  parentSessionId: SessionId;
  childSessionId: SessionId;
  kind: SubSessionKind;
  spawnedBy: ActorRef;
  /** `delegate` when absent. */
  failureMode?: FailureMode;
  /** `summary_ref` when absent. */
  completionMode?: CompletionMode;
}
/**
 * Keeps projects, their sessions, the messages of these, and the edges between
 * them. `InMemorySessionStore` and `DiskSessionStore` implement it;
 * applications may implement it as well.
 *
 * Every method takes the tenant that asks. A record of another tenant rejects
 * with `TenantIsolationError`, whatever the method. Every failure is a
 * rejection; no method throws synchronously. Beside the errors listed below,
 * any method of this package's stores rejects with `InvalidArgumentError` for an
 * argument of the wrong type, and any method of `DiskSessionStore` with
 * `StoreIoError` or `CorruptRecordError` for a file that fails or is damaged.
 * A read with a malformed id answers as for a missing record.
 *
 * What a method answers belongs to the caller: changing it changes nothing in
 * the store. A read that follows an answered write sees it.
 */
export interface SessionStore {
  /**
   * Creates a project with the default limits.
   *
   * @returns the new project; its two dates are equal
   * @throws TenantIsolationError when `params.tenantId` is not `tenantId`
   */
  createProject(params: CreateProjectParams, tenantId: TenantId): Promise<Project>;
  /** The project, or `null` when there is none with this id. */
  getProject(id: ProjectId, tenantId: TenantId): Promise<Project | null>;
  /**
   * Creates a session: `idle`, at owner version 0, without previous actors and
   * without a workspace.
   *
   * @returns the new session; its two dates are equal
   * @throws Error (`… not found`) when there is no such project
   */
  createSession(params: CreateSessionParams, tenantId: TenantId): Promise<Session>;
  /** The session, or `null` when there is none with this id. */
  getSession(id: SessionId, tenantId: TenantId): Promise<Session | null>;
  /**
   * Replaces the session's record by the given one and stamps `updatedAt`.
   * `createdAt` is taken as given; an optional field that is absent is cleared.
   *
   * @param expectedOwnerVersion when given, the update takes place only if the
   *   stored session is at this owner version, both in one atomic step
   * @throws Error (`… not found`) when there is no such session
   * @throws StaleSessionError when the stored owner version is another
   * @throws TenantIsolationError when `session.tenantId` is not `tenantId`
   */
  updateSession(session: Session, tenantId: TenantId, expectedOwnerVersion?: number): Promise<void>;
  /**
   * Deletes the session with its messages and its summary. Does nothing when it
   * is missing.
   *
   * @throws Error (`… attached sub-sessions`) while a sub-session names it as
   *   parent or as child
   */
  deleteSession(id: SessionId, tenantId: TenantId): Promise<void>;
  /**
   * Creates an edge from one session to another: `pending`, without a workspace.
   * An edge that closes a cycle is accepted; reading through it is the error.
   *
   * @returns the new edge; its two dates are equal
   * @throws Error (`… not found`) when either session is missing
   */
  createSubSession(params: CreateSubSessionParams, tenantId: TenantId): Promise<SubSession>;
  /** The edge, or `null` when there is none with this id. */
  getSubSession(id: SubSessionId, tenantId: TenantId): Promise<SubSession | null>;
  /**
   * Replaces the edge's record by the given one and stamps `updatedAt`.
   * `spawnedAt` is taken as given; an optional field that is absent is cleared;
   * another parent or child changes the tree.
   *
   * @throws Error (`… not found`) when there is no such edge
   */
  updateSubSession(sub: SubSession, tenantId: TenantId): Promise<void>;
  /** Deletes the edge, never its child session. Does nothing when it is missing. */
  deleteSubSession(id: SubSessionId, tenantId: TenantId): Promise<void>;
  /**
   * Appends a message to a session. The message is kept as `JSON.stringify`
   * writes it, unknown fields included.
   *
   * @returns the id that the message got
   * @throws Error (`… not found`) when there is no such session
   */
  appendMessage(sessionId: SessionId, message: Message, tenantId: TenantId): Promise<MessageId>;
  /** The messages in the order of their appending; `[]` when there are none, or no session. */
  loadMessages(sessionId: SessionId, tenantId: TenantId): Promise<readonly Message[]>;
  /** As {@link SessionStore.loadMessages}, each message in its envelope. */
  loadSessionMessages(sessionId: SessionId, tenantId: TenantId): Promise<readonly SessionMessage[]>;
  /**
   * The edges one level below the session, ordered by `spawnedAt`, then id;
   * `[]` when there is no such session. Edges of other tenants are left out.
   */
  getChildren(sessionId: SessionId, tenantId: TenantId): Promise<readonly SubSession[]>;
  /**
   * The sessions from the root down to this one; `[]` when there is no such
   * session. Of several edges to a session the earliest `spawnedAt`, then the
   * smallest id, leads to its parent.
   *
   * @throws AncestryCycleError when the session is its own ancestor
   */
  getAncestry(sessionId: SessionId, tenantId: TenantId): Promise<readonly SessionId[]>;
  /**
   * The session with its children and its ancestry, all of one instant, or
   * `null` when there is no such session.
   *
   * @throws AncestryCycleError when the session is its own ancestor
   */
  drill(sessionId: SessionId, tenantId: TenantId): Promise<SessionView | null>;
  /**
   * Keeps the summary of a session, and in the same step sets a session that is
   * `active`, `locked` or `awaiting_merge` to `idle`. The same summary id again
   * is accepted, and only replays the change of the status.
   *
   * @throws Error (`… not found`) when there is no such session
   * @throws SessionAlreadySummarizedError when the session has another summary
   * @throws TenantIsolationError when `summary.tenantId` is not `tenantId`
   */
  recordSummary(summary: SessionSummaryRef, tenantId: TenantId): Promise<void>;
  /** The summary of the session, or `null` when it has none. */
  getSummary(sessionId: SessionId, tenantId: TenantId): Promise<SessionSummaryRef | null>;
}
declare abstract class NativeSessionStore implements SessionStore {
  createProject(params: CreateProjectParams, tenantId: TenantId): Promise<Project>;
  getProject(id: ProjectId, tenantId: TenantId): Promise<Project | null>;
  createSession(params: CreateSessionParams, tenantId: TenantId): Promise<Session>;
  getSession(id: SessionId, tenantId: TenantId): Promise<Session | null>;
  updateSession(session: Session, tenantId: TenantId, expectedOwnerVersion?: number): Promise<void>;
  deleteSession(id: SessionId, tenantId: TenantId): Promise<void>;
  createSubSession(params: CreateSubSessionParams, tenantId: TenantId): Promise<SubSession>;
  getSubSession(id: SubSessionId, tenantId: TenantId): Promise<SubSession | null>;
  updateSubSession(sub: SubSession, tenantId: TenantId): Promise<void>;
  deleteSubSession(id: SubSessionId, tenantId: TenantId): Promise<void>;
  appendMessage(sessionId: SessionId, message: Message, tenantId: TenantId): Promise<MessageId>;
  loadMessages(sessionId: SessionId, tenantId: TenantId): Promise<readonly Message[]>;
  loadSessionMessages(sessionId: SessionId, tenantId: TenantId): Promise<readonly SessionMessage[]>;
  getChildren(sessionId: SessionId, tenantId: TenantId): Promise<readonly SubSession[]>;
  getAncestry(sessionId: SessionId, tenantId: TenantId): Promise<readonly SessionId[]>;
  drill(sessionId: SessionId, tenantId: TenantId): Promise<SessionView | null>;
  recordSummary(summary: SessionSummaryRef, tenantId: TenantId): Promise<void>;
  getSummary(sessionId: SessionId, tenantId: TenantId): Promise<SessionSummaryRef | null>;
  /**
   * Finishes what was started and lets go of whatever the store holds; a disk store
   * syncs everything into its records first. Later calls reject with
   * `StoreClosedError`; closing again is fine.
   *
   * @throws {StoreIoError} When something cannot be synced. It is kept in the journal,
   * and the store is closed all the same.
   */
  close(): Promise<void>;
  /** Closes the store at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}
/** Where a {@link DiskSessionStore} keeps its records. */
export interface DiskSessionStoreConfig {
  /**
   * The directory of the store. It need not exist: the first write creates it.
   * A relative path is resolved once, when the store is constructed.
   */
  rootDir: string;
  /**
   * What an answered write survives: `full`, the default, a power cut; `relaxed` a
   * crash of the process, while a power cut may take the last second.
   */
  durability?: Durability;
  /**
   * Told how the walk goes on through a root that has no index yet, as one that
   * `@namzu/sdk` wrote: that happens once, when the root is first searched.
   */
  onProgress?: (progress: AdoptionProgress) => void;
}
/** How far the walk through a root has come. */
export interface AdoptionProgress {
  /** Session folders that are done. */
  readonly done: number;
  /** Session folders in all. */
  readonly total: number;
  /** What is being done. */
  readonly phase: "survey";
}
/** What an answered write survives: a power cut, or a crash of the process alone. */
export type Durability = "full" | "relaxed";
/**
 * A session store in a directory, in the record format of `@namzu/sdk` 0.2.0:
 * a root that either of them wrote opens in the other.
 *
 * The constructor neither reads nor writes, and never throws: a `rootDir` that
 * cannot be used makes the calls reject, with `InvalidArgumentError` when it is
 * no path, with `StoreIoError` when the system refuses it.
 *
 * @example
 * ```ts
 * const store = new DiskSessionStore({ rootDir: './data' });
 * const tenant = generateTenantId();
 * const project = await store.createProject({ tenantId: tenant, name: 'Support' }, tenant);
 * const session = await store.createSession(
 *   { projectId: project.id, currentActor: null },
 *   tenant,
 * );
 * await store.appendMessage(session.id, createUserMessage('Hello'), tenant);
 * ```
 */
export declare class DiskSessionStore extends NativeSessionStore {
  constructor(config: DiskSessionStoreConfig);
}
/**
 * A session store in memory: for tests, and for what need not outlive the
 * process. It keeps every rule of `DiskSessionStore`.
 *
 * @example
 * ```ts
 * const store = new InMemorySessionStore();
 * const tenant = generateTenantId();
 * const project = await store.createProject({ tenantId: tenant, name: 'Support' }, tenant);
 * ```
 */
export declare class InMemorySessionStore extends NativeSessionStore {
  constructor();
}

export {};
