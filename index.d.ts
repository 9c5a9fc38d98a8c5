// Generated from lib/index.ts by `npm run build`: change it there.

/** Declares `Symbol.asyncDispose` for programs whose `lib` and types do not, as their Node.js has it. */
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}
/** What stops an operation. */
/**
 * An `AbortSignal`, by any declaration: the DOM's types, those of Node.js, or neither.
 *
 * @example
 * ```ts
 * const signal: AbortSignalLike = AbortSignal.timeout(60_000);
 * ```
 */
export interface AbortSignalLike {
  readonly aborted: boolean;
  /** What the stopped operation rejects with. */
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void, options?: {
    once?: boolean;
  }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
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
/**
 * Id of a task.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
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
/**
 * A fresh {@link TaskId}: `task_` and 12 random characters of `0-9a-z`.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export declare function generateTaskId(): TaskId;
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
/**
 * The owner of projects: no tenant sees anything of another.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
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
/** A part of a configuration: what is absent or `undefined` stays as it is. */
export type ProjectConfigPatch = {
  [Key in keyof ProjectConfig]?: ProjectConfig[Key] | undefined;
};
/** A body of work of one tenant: sessions belong to a project. */
export interface Project {
  id: ProjectId;
  tenantId: TenantId;
  name: string;
  config: ProjectConfig;
  createdAt: Date;
  updatedAt: Date;
}
/**
 * Where a session stands in its tree.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export interface Lineage {
  parentSessionId: SessionId;
  rootSessionId: SessionId;
  /** Number of edges from the root; 0 at the root itself. */
  depth: number;
}
/** Where a run of an agent stands. */
export type RunStatus = "queued" | "running" | "awaiting_hitl" | "awaiting_hitl_resolution" | "awaiting_subsession" | "succeeded" | "failed" | "cancelled";
/**
 * The version of the shape of run events.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export declare const RUN_EVENT_SCHEMA_VERSION = 2;
/**
 * The type of {@link RUN_EVENT_SCHEMA_VERSION}.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export type RunEventSchemaVersion = typeof RUN_EVENT_SCHEMA_VERSION;
interface SubsessionEventBase {
  runId: RunId;
  subSessionId: SubSessionId;
  parentSessionId: SessionId;
  lineage: Lineage;
  schemaVersion: RunEventSchemaVersion;
  at: Date;
}
/**
 * A sub-session was created.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export interface SubsessionSpawnedEvent extends SubsessionEventBase {
  type: "subsession_spawned";
  spawnedBy: ActorRef;
}
/**
 * A message was appended to a sub-session.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export interface SubsessionMessagedEvent extends SubsessionEventBase {
  type: "subsession_messaged";
  messageId: MessageId;
}
/**
 * A sub-session became idle.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export interface SubsessionIdledEvent extends SubsessionEventBase {
  type: "subsession_idled";
}
/**
 * An event in the life of a sub-session; `type` tells which.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
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
  /** Who owns the session now; `null` without an owner. */
  currentActor: ActorRef | null;
  /** Who owned it before, oldest first. */
  previousActors: readonly ActorRef[];
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
/** Where a sub-session stands, from its creation to its merge or its archival. */
export type SubSessionStatus = "pending" | "active" | "idle" | "failed" | "awaiting_merge" | "pending_merge" | "merging" | "merged" | "merge_conflict" | "merge_rejected" | "archived";
/** Why a sub-session exists: an agent was spawned, a user handed over, or a person intervened. */
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
/** A session with its surroundings, all of one instant. */
export interface SessionView {
  session: Session;
  /** The edges one level down, ordered by `spawnedAt`, then id. */
  children: readonly SubSession[];
  /** From the root to the session itself. */
  ancestry: readonly SessionId[];
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
  /** The first owner; `null` while the session has no owner. */
  currentActor: ActorRef | null;
}
/** What a new sub-session is made from. */
export interface CreateSubSessionParams {
  parentSessionId: SessionId;
  childSessionId: SessionId;
  kind: SubSessionKind;
  spawnedBy: ActorRef;
  /** `delegate` when absent. */
  failureMode?: FailureMode | undefined;
  /** `summary_ref` when absent. */
  completionMode?: CompletionMode | undefined;
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
/** Words that the details of errors use. */
/** Which of a project's limits on delegation was met. */
export type CapacityDimension = "depth" | "width";
/** What keeps a session from being handed over. */
export type HandoffLockRejectedReason = "active_run" | "pending_hitl" | "pending_subsession";
/** The kinds of backends that provide workspaces. */
export type WorkspaceBackendKind = "git-worktree" | "tmpfs" | "container" | "shared";
/** Logging: what our own code writes to, and a plain logger for those who have none. */
/** How much a line matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";
/** What a logger adds to each of its lines. */
export type LogContext = Readonly<Record<string, unknown>>;
/** Takes lines. Loggers of applications fit when they have these methods. */
export interface Logger {
  debug(message: string, data?: LogContext): void;
  info(message: string, data?: LogContext): void;
  warn(message: string, data?: LogContext): void;
  error(message: string, data?: LogContext): void;
  /** A logger that adds `context` to each line. */
  child(context: LogContext): Logger;
}
/** The logger that writes lines to standard error, from level `info` up unless configured. */
export declare function getRootLogger(): Logger;
/**
 * Replaces the root logger by one that writes from `level` up. Loggers that were
 * handed out before stay as they were.
 */
export declare function configureLogger(options?: {
  level?: LogLevel | undefined;
}): void;
/** Where a worktree of a git repository is. */
export interface GitWorktreeBackendMeta {
  backend: "git-worktree";
  /** The repository. */
  repoRoot: string;
  /** The branch that is checked out, without `refs/heads/`. */
  branch: string;
  worktreePath: string;
}
/** What a backend that an application wrote needs to know; its own affair. */
export interface CustomBackendMeta {
  backend: Exclude<WorkspaceBackendKind, "git-worktree">;
  [key: string]: any;
}
/** What the backend of this package needs to know to find a workspace again. */
export type WorkspaceBackendMeta = GitWorktreeBackendMeta;
/** What any backend's refs tell, whatever else they carry. */
export interface BackendMeta {
  backend: WorkspaceBackendKind;
}
/**
 * A workspace, by reference: what its driver needs to inspect or dispose of it.
 *
 * @typeParam Meta - what its backend needs to know; a type of the application's for a
 *   backend of the application's
 */
export interface WorkspaceRef<Meta extends BackendMeta = WorkspaceBackendMeta> {
  id: WorkspaceId;
  meta: Meta;
  createdAt: Date;
}
/** What a new workspace is to be like. */
export interface CreateWorkspaceParams {
  /** What it starts from; the backend's own default when absent. */
  baseRef?: string | undefined;
  /** What it is called, one path component; its id when absent. */
  label?: string | undefined;
}
/** What a workspace that branches off another is to be like. */
export interface BranchWorkspaceParams {
  /** What it is called, one path component; its id when absent. */
  label?: string | undefined;
}
/** What has become of a workspace. */
export interface WorkspaceInspection {
  exists: boolean;
  /** What is checked out there, or was. */
  currentRef: string;
  /** Whether it has changes that are not committed; new files count, ignored files do not. */
  isDirty: boolean;
}
/**
 * Why a workspace is to be kept:
 *
 * - `locked`: its backend was told to keep it, as by `git worktree lock`.
 * - `uncommitted`: it has changes that are not committed.
 * - `unreachable`: it has commits that are on no branch.
 */
export type WorkspaceKeepReason = "locked" | "uncommitted" | "unreachable";
/**
 * Provides workspaces of one kind. Applications implement it for kinds of their own.
 *
 * @typeParam Meta - what its refs carry: {@link CustomBackendMeta}, or a type of the
 *   application's, for a kind of the application's own
 *
 * @example
 * ```ts
 * interface ContainerMeta {
 *   backend: 'container';
 *   image: string;
 * }
 * declare const containers: WorkspaceBackendDriver<ContainerMeta>;
 * new WorkspaceBackendRegistry().register(containers);
 * ```
 */
export interface WorkspaceBackendDriver<Meta extends BackendMeta = WorkspaceBackendMeta> {
  readonly kind: WorkspaceBackendKind;
  /** Makes a workspace. */
  create(params: CreateWorkspaceParams): Promise<WorkspaceRef<Meta>>;
  /** Makes a workspace that starts where another one is. */
  branch(source: WorkspaceRef<Meta>, params: BranchWorkspaceParams): Promise<WorkspaceRef<Meta>>;
  /** Removes a workspace with all that is in it; one that is gone already is no failure. */
  dispose(ref: WorkspaceRef<Meta>): Promise<void>;
  /** Tells what has become of a workspace. */
  inspect(ref: WorkspaceRef<Meta>): Promise<WorkspaceInspection>;
  /**
   * Tells why a workspace is to be kept, or `null` when nothing is lost with it. Of a driver
   * without this method, what `inspect` answers as dirty is taken to be `uncommitted`.
   */
  keepReason?(ref: WorkspaceRef<Meta>): Promise<WorkspaceKeepReason | null>;
}
/** What a {@link WorkspaceBackendRegistry} is to those who use it: the drivers of an application. */
export interface WorkspaceRegistry {
  /** Adds a driver, in place of the one that was there for its kind. */
  register(driver: WorkspaceBackendDriver<BackendMeta>): void;
  /** The driver for a kind; throws an `Error` when there is none. */
  get(kind: WorkspaceBackendKind): WorkspaceBackendDriver;
  /** Whether there is a driver for a kind. */
  has(kind: WorkspaceBackendKind): boolean;
}
/** What a program wrote. */
export interface ExecFileResult {
  stdout: string;
  stderr: string;
}
/** Runs a program, without a shell; rejects when it fails. */
export type ExecFile = (file: string, args: readonly string[]) => Promise<ExecFileResult>;
/** Which repository a {@link GitWorktreeDriver} works on, and how. */
export interface GitWorktreeDriverConfig {
  /** The repository. A relative path is resolved once, when the driver is constructed. */
  repoRoot: string;
  /**
   * The folder of the worktrees; `<repoRoot>/.namzu/worktrees` when absent. A relative path
   * is resolved once, from the current directory.
   */
  worktreesDir?: string | undefined;
  logger: Logger;
  /** Runs git in place of the real process. */
  execFile?: ExecFile | undefined;
  /** Milliseconds that one run of the real git may take before it is ended; 120,000 when absent. */
  timeoutMs?: number | undefined;
}
/**
 * Provides workspaces as git worktrees, each on a new branch `namzu/<label>`.
 *
 * Git is run without a shell, a prompt or the terminal. The driver touches files
 * through git alone. A call that succeeds runs an `execFile` of yours once (`inspect`: at
 * most twice); the real git is asked more where that protects work. A `create` that fails
 * leaves behind no worktree and no branch that it made, and never removes one that was
 * there before.
 *
 * Every failure is a `WorkspaceBackendError` with the cause in its `details`.
 *
 * @example
 * ```ts
 * const driver = new GitWorktreeDriver({ repoRoot: '.', logger: getRootLogger() });
 * const workspace = await driver.create({ label: 'fix-login' });
 * // … an agent works in workspace.meta.worktreePath …
 * if ((await driver.keepReason(workspace)) === null) await driver.dispose(workspace);
 * ```
 */
export declare class GitWorktreeDriver implements WorkspaceBackendDriver {
  readonly kind: "git-worktree";
  private readonly setup;
  /**
   * @throws InvalidArgumentError when a path is none, there is no logger, or `timeoutMs` is
   *   not above 0
   */
  constructor(config: GitWorktreeDriverConfig);
  /**
   * Makes a worktree at `<worktreesDir>/<label>`, on the new branch `namzu/<label>`. Without a
   * label it is named after its id.
   *
   * @throws WorkspaceBackendError when the label is no path component that git accepts in a
   *   branch name, `baseRef` is no revision, or git does not make the worktree
   */
  create(params?: CreateWorkspaceParams): Promise<WorkspaceRef>;
  /** Makes a worktree that starts at the branch of another one. */
  branch(source: WorkspaceRef, params?: BranchWorkspaceParams): Promise<WorkspaceRef>;
  /**
   * Removes a worktree that this driver made, with all that is in it; its branch stays. One
   * that is gone already is no failure.
   *
   * Look first ({@link GitWorktreeDriver.keepReason}) where an agent may have left work.
   *
   * @throws WorkspaceBackendError when `ref` names no worktree as this driver makes them, when
   *   another branch is checked out there (an `execFile` of yours is not asked which), or when
   *   it is locked
   */
  dispose(ref: WorkspaceRef): Promise<void>;
  /**
   * Tells what has become of a worktree. One whose folder was deleted does not exist,
   * although git may still list it.
   *
   * `isDirty` is true when a file was changed or added, whatever git's settings hide: new
   * files (`status.showUntrackedFiles`), submodules, files under `skip-worktree`. A file under
   * `assume-unchanged` counts as changed, since git does not look at it. Ignored files do not
   * count, nor do file modes where `core.fileMode` is off. An `execFile` of yours runs
   * `git status --porcelain`, under its own settings.
   *
   * @throws WorkspaceBackendError when git does not tell
   */
  inspect(ref: WorkspaceRef): Promise<WorkspaceInspection>;
  /**
   * Tells why a worktree is to be kept, or `null` when it is gone or nothing is lost with it.
   * It runs git several times, an `execFile` of yours too, past all settings.
   *
   * - `locked`: by `git worktree lock`.
   * - `uncommitted`: as `isDirty` of {@link GitWorktreeDriver.inspect}.
   * - `unreachable`: commits of a detached head that are on no branch and no tag, or commits in
   *   a submodule that its remotes do not have: its repository goes with the worktree.
   *
   * @throws WorkspaceBackendError when git does not tell
   */
  keepReason(ref: WorkspaceRef): Promise<WorkspaceKeepReason | null>;
}
/**
 * Builds the paths of the record tree. An id that is no path component throws
 * `InvalidIdError`, so that no path leads out of the root.
 */
export interface PathBuilder {
  /** The root, as it was given. */
  rootDir(): string;
  /** `projects/<projectId>`. */
  projectDir(projectId: ProjectId): string;
  /** The project's `sessions/<sessionId>`. */
  sessionDir(projectId: ProjectId, sessionId: SessionId): string;
  /** The parent session's `subsessions/<subSessionId>`. */
  subSessionDir(projectId: ProjectId, sessionId: SessionId, subSessionId: SubSessionId): string;
  /** The session's `runs/<runId>`. */
  runDir(projectId: ProjectId, sessionId: SessionId, runId: RunId): string;
}
/** The paths under which `DiskSessionStore` keeps its records. */
export declare class DefaultPathBuilder implements PathBuilder {
  private readonly root;
  constructor(root: string);
  rootDir(): string;
  projectDir(projectId: ProjectId): string;
  sessionDir(projectId: ProjectId, sessionId: SessionId): string;
  subSessionDir(projectId: ProjectId, sessionId: SessionId, subSessionId: SubSessionId): string;
  runDir(projectId: ProjectId, sessionId: SessionId, runId: RunId): string;
}
/**
 * The drivers of an application, one for each kind of workspace.
 *
 * @example
 * ```ts
 * const workspaces = new WorkspaceBackendRegistry();
 * workspaces.register(new GitWorktreeDriver({ repoRoot: '.', logger: getRootLogger() }));
 * const workspace = await workspaces.get('git-worktree').create({ label: 'fix-login' });
 * ```
 */
export declare class WorkspaceBackendRegistry implements WorkspaceRegistry {
  private readonly drivers;
  /** Adds a driver, in place of the one that was there for its kind. */
  register(driver: WorkspaceBackendDriver<BackendMeta>): void;
  /**
   * The driver for a kind.
   *
   * @throws NotFoundError when there is none
   */
  get(kind: WorkspaceBackendKind): WorkspaceBackendDriver;
  /** Whether there is a driver for a kind. */
  has(kind: WorkspaceBackendKind): boolean;
}
/** Reads what git says of its worktrees. */
/** One worktree of `git worktree list --porcelain`. */
export interface WorktreeListEntry {
  path: string;
  /** The commit that is checked out. */
  head?: string;
  /** The branch that is checked out, verbatim: `refs/heads/…`. */
  branch?: string;
}
/**
 * The record of `git worktree list --porcelain` whose path is `worktreePath`, to
 * the character, or `null`.
 */
export declare function parseWorktreeList(stdout: string, worktreePath: string): WorktreeListEntry | null;
/** What a bundle holds. */
export interface ArchiveInput {
  readonly subSessionId: SubSessionId;
  /** The child session. */
  readonly sessionId: SessionId;
  readonly tenantId: TenantId;
  readonly workspace?: WorkspaceRef;
  /** The child's whole summary. */
  readonly summaryRef?: SessionSummaryRef;
  readonly messages: readonly SessionMessage[];
}
/** Which bundle was made, and when. */
export interface ArchiveOutput {
  readonly archiveRef: ArchiveBackendRef;
  readonly archivedAt: Date;
}
/** A workspace that was not disposed of, as something would have been lost with it. */
export interface KeptWorkspace {
  readonly ref: WorkspaceRef;
  /** As its driver says; `uncommitted` also where the driver could not look. */
  readonly why: WorkspaceKeepReason;
}
/** Keeps bundles. Applications implement it for places of their own. */
export interface ArchiveBackend {
  readonly kind: string;
  /** Makes a bundle, a new one each time. */
  store(input: ArchiveInput): Promise<ArchiveOutput>;
  /** What a bundle holds; rejects with `ArchiveNotFoundError` when it cannot be read. */
  restore(archiveRef: ArchiveBackendRef): Promise<ArchiveInput>;
}
/** What an archived sub-session leaves behind. */
export interface SubSessionTombstone {
  readonly subSessionId: SubSessionId;
  readonly sessionId: SessionId;
  readonly tenantId: TenantId;
  /** The sub-session's own reference to a summary. */
  readonly summaryRef?: SummaryId;
  readonly archiveRef: ArchiveBackendRef;
  readonly archivedAt: Date;
  /** The sub-session's workspace, where it was kept; absent where nothing was. */
  readonly keptWorkspaces?: readonly KeptWorkspace[];
}
/** Finds a workspace; `null` when there is none of this id any more. */
export type WorkspaceResolver = (workspaceId: WorkspaceId, tenantId: TenantId) => Promise<WorkspaceRef | null>;
/** What an `ArchivalManager` works with. Each is looked up when it is needed. */
export interface ArchivalManagerDeps {
  readonly sessionStore: SessionStore;
  readonly workspaceRegistry: WorkspaceRegistry;
  /** Where bundles go. Absent: nothing can be archived. */
  readonly archiveBackend?: ArchiveBackend | undefined;
  readonly workspaceResolver?: WorkspaceResolver | undefined;
  readonly onArchived?: ((tombstone: SubSessionTombstone) => void) | undefined;
  readonly onRestored?: ((subSessionId: SubSessionId, tenantId: TenantId) => void) | undefined;
}
interface AcceptedDeps extends Omit<ArchivalManagerDeps, "workspaceRegistry" | "workspaceResolver"> {
  readonly workspaceRegistry: Pick<WorkspaceRegistry, "get">;
  readonly workspaceResolver?: ((workspaceId: WorkspaceId, tenantId: TenantId) => Promise<WorkspaceRef<BackendMeta> | null>) | undefined;
}
/** Parts of lists. */
/** Which part of a list is wanted. */
export interface PageOptions {
  /** The most records that the page may have; 100 when absent. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of an earlier page: the page starts after it. */
  readonly cursor?: string | undefined;
}
/** A part of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page starts. Absent: there is none. */
  readonly nextCursor?: string | undefined;
  /**
   * Records that belong to the list and cannot be read. Absent: all can. The pages of one list
   * name each once, on the first page where that is possible; if other records become damaged
   * meanwhile, a later page names all again.
   */
  readonly damaged?: readonly DamagedRecord[];
}
/** A record of the tenant's that cannot be read. */
export interface DamagedRecord {
  /** The id that it is kept under. */
  readonly id: string;
  /** Its file, relative to the store's `rootDir`, with `/` between components. */
  readonly path: string;
  /** What is wrong with it. */
  readonly reason: string;
}
/** How a sweep goes about it. */
export interface SweepOptions {
  /** In place of the project's own. */
  readonly policy?: RetentionPolicy | undefined;
  /** Only says what would be archived: the tombstones' `archiveRef` is `arc_dry_run`. */
  readonly dryRun?: boolean | undefined;
  /** The time from which ages are counted; the current time when absent. */
  readonly now?: Date | (() => Date) | undefined;
  /** Whether what is archived is evicted too; `false` when absent. */
  readonly evict?: boolean | undefined;
  /** Whether workspaces are disposed of with whatever is in them; `false` when absent. */
  readonly discardWorkspaces?: boolean | undefined;
  /** Stops the sweep between two sub-sessions; those that are under way are finished. */
  readonly signal?: AbortSignalLike | undefined;
  /** Called after each sub-session that was due. */
  readonly onProgress?: ((progress: SweepProgress) => void) | undefined;
}
/** How far a sweep has come. */
export interface SweepProgress {
  /** How many of those that are due were archived, or failed. */
  readonly done: number;
  /** How many are due. */
  readonly total: number;
  /** The last of them. */
  readonly subSessionId: SubSessionId;
}
/** What a sweep did. */
export interface SweepResult {
  /** The longest idle first. */
  readonly archived: SubSessionTombstone[];
  readonly failed: {
    readonly subSessionId: SubSessionId;
    readonly error: unknown;
  }[];
  /**
   * How many sub-sessions of the project are neither archived nor failed, those included that
   * came into use before it was their turn.
   */
  readonly kept: number;
  /**
   * Sessions that cannot be read, or have a sub-session that cannot be, each with the damaged
   * file: nothing below them and nothing that leads to them is archived, and `kept` counts no
   * sub-session that is not seen for it. Absent without any.
   */
  readonly damaged?: readonly DamagedRecord[];
  /** Workspaces that were not disposed of, as work would have been lost; absent without any. */
  readonly keptWorkspaces?: readonly KeptWorkspace[];
}
/** How a sub-session is archived. */
export interface ArchiveOptions {
  /**
   * Whether the child's messages and summary are to be in the archive only. They
   * read as none until the sub-session is restored, and appending rejects with
   * `SessionEvictedError`. `false` when absent.
   *
   * With {@link DiskArchiveBackend} they come back byte for byte. Any other backend
   * keeps what it is given: the messages with their ids and times, not what was replaced
   * before. Their idempotency keys stay with the session and come back too.
   */
  readonly evict?: boolean | undefined;
  /**
   * Whether the workspace is disposed of with whatever is in it. When absent or `false`, one
   * with uncommitted changes, with commits that are on no branch, or that is locked is kept,
   * and the tombstone says so in `keptWorkspaces`.
   */
  readonly discardWorkspaces?: boolean | undefined;
  /**
   * Archives only what was not used since: a sub-session whose record, child or child's
   * messages were changed later, or whose child is in use, is refused as `not_idle`. What a
   * sweep decides is checked so again, in the transaction that archives.
   */
  readonly idleSince?: Date | undefined;
}
/**
 * Archives and restores sub-sessions.
 *
 * Archiving is safe to interrupt anywhere when both the store and the backend are
 * this package's and share a root: the sub-session is as it was and its bundle
 * incomplete, or it is archived and its bundle complete.
 *
 * @example
 * ```ts
 * const archival = new ArchivalManager({
 *   sessionStore: store,
 *   workspaceRegistry: new WorkspaceBackendRegistry(),
 *   archiveBackend: new DiskArchiveBackend({ rootDir: './data' }),
 * });
 * const { archiveRef } = await archival.archive(subSession.id, tenant, { evict: true });
 * await archival.restore(subSession.id, tenant);
 * ```
 */
export declare class ArchivalManager {
  private readonly deps;
  constructor(deps: AcceptedDeps);
  /**
   * Archives a sub-session that is `idle`, `merged`, `merge_rejected` or `failed`:
   * its child's messages and summary go into a new bundle, and it becomes
   * `archived`. Its workspace is disposed of, where there is a way to find it and no work
   * would be lost with it ({@link ArchiveOptions.discardWorkspaces}); a failure of that is
   * ignored. Archivals and restorations of one child take turns.
   *
   * With `evict`, a child that is `active`, `locked`, `awaiting_hitl` or `awaiting_merge` is
   * refused as `not_idle`.
   *
   * @throws ArchiveNotConfiguredError without a backend
   * @throws SubSessionNotArchivableError when it is missing, archived already or busy
   * @throws SessionEvictedError when its messages are in another bundle only
   */
  archive(subSessionId: SubSessionId, tenantId: TenantId, options?: ArchiveOptions): Promise<SubSessionTombstone>;
  /**
   * Verifies the bundle of an archived sub-session and makes it `idle` again, with
   * everything of its child where it was. The bundle stays. A workspace that is gone by then
   * is named no more.
   *
   * @throws ArchiveNotConfiguredError without a backend
   * @throws SubSessionNotArchivedError when it is missing or not archived
   * @throws ArchiveNotFoundError when the bundle cannot be believed; the sub-session
   *   stays archived
   * @throws SessionEvictedError when its child was evicted into another bundle
   */
  restore(subSessionId: SubSessionId, tenantId: TenantId): Promise<void>;
  /**
   * Puts the messages and the summary of an evicted session back from the bundle that its
   * eviction names, whatever became of its sub-session: use it where `restore` has no
   * sub-session to start from. The sub-session, where there is one, stays as it is, and the
   * bundle stays too. A session that is not evicted is left alone.
   *
   * @example
   * ```ts
   * try {
   *   await store.appendMessage(sessionId, message, tenant);
   * } catch (error) {
   *   if (!(error instanceof SessionEvictedError)) throw error;
   *   await archival.restoreSession(sessionId, tenant);
   *   await store.appendMessage(sessionId, message, tenant);
   * }
   * ```
   *
   * @throws ArchiveNotConfiguredError without a backend
   * @throws Error (`… not found`) when there is no such session
   * @throws ArchiveNotFoundError when the bundle cannot be believed; the session stays evicted
   */
  restoreSession(sessionId: SessionId, tenantId: TenantId): Promise<void>;
  /**
   * Applies a project's retention policy: archives what has been finished for longer
   * than `idleSubSessionTTL`, then the longest idle above `maxSubSessionsPerProject`.
   * Ages are counted from the last change of the sub-session's record, its child's record or
   * its child's messages. A child that is `active`, `locked`, `awaiting_hitl` or
   * `awaiting_merge` is kept, and so is what is used before its turn comes. One failure does
   * not stop the rest. Bundles that their writers
   * left unfinished are removed.
   *
   * The store must be able to list: one of this package's is.
   *
   * @throws ArchiveNotConfiguredError without a backend
   * @throws Error (`… not found`) when there is no such project
   */
  sweep(projectId: ProjectId, tenantId: TenantId, options?: SweepOptions): Promise<SweepResult>;
}
declare abstract class NamzuError extends Error {
  /** What went wrong, in a word that stays: `NAMZU_` and the name of the class. */
  readonly code: string;
  constructor(message: string, options?: {
    cause?: unknown;
  });
  /** What `JSON.stringify` writes, whatever the error's cause is. */
  toJSON(): {
    name: string;
    message: string;
    code: string;
    details?: unknown;
  };
}
declare abstract class DetailedError<Details extends object> extends NamzuError {
  /** What went wrong, for a program to read. */
  details: Details;
  constructor(message: string, details: Details, options?: {
    cause?: unknown;
  });
  toJSON(): {
    name: string;
    message: string;
    code: string;
    details: unknown;
  };
}
/** Archival was asked for, but there is no backend to keep the bundles. */
export declare class ArchiveNotConfiguredError extends NamzuError {
  constructor();
}
interface SubSessionNotArchivableErrorDetails {
  subSessionId: SubSessionId;
  reason: "missing" | "already_archived" | "not_idle";
}
/** A sub-session cannot be archived as it stands. */
export declare class SubSessionNotArchivableError extends DetailedError<SubSessionNotArchivableErrorDetails> {
  constructor(details: SubSessionNotArchivableErrorDetails);
}
interface SubSessionNotArchivedErrorDetails {
  subSessionId: SubSessionId;
  reason: "missing" | "not_archived" | "missing_archive_ref";
}
/** A sub-session cannot be restored, since it is not archived. */
export declare class SubSessionNotArchivedError extends DetailedError<SubSessionNotArchivedErrorDetails> {
  constructor(details: SubSessionNotArchivedErrorDetails);
}
interface ArchiveNotFoundErrorDetails {
  archiveRef: ArchiveBackendRef;
  /** There is no such bundle, it was never finished, or it is damaged. */
  reason: "missing" | "incomplete" | "corrupt";
}
/** A bundle cannot be read back. */
export declare class ArchiveNotFoundError extends DetailedError<ArchiveNotFoundErrorDetails> {
  constructor(details: ArchiveNotFoundErrorDetails);
}
interface HandoffVersionConflictDetails {
  sessionId: SessionId;
  /** The owner version that the assignment was made for. */
  expected: number;
  /** The owner version that the session has. */
  actual: number;
}
/** The source session changed its owner since the assignment was made. */
export declare class HandoffVersionConflict extends DetailedError<HandoffVersionConflictDetails> {
  constructor(details: HandoffVersionConflictDetails);
}
interface HandoffLockRejectedDetails {
  sessionId: SessionId;
  reason: HandoffLockRejectedReason;
  /** The run that blocks the session, where it is known. */
  runId?: RunId;
}
/** The source session cannot be handed over now. */
export declare class HandoffLockRejected extends DetailedError<HandoffLockRejectedDetails> {
  constructor(details: HandoffLockRejectedDetails);
}
interface DelegationCapacityExceededDetails {
  dimension: CapacityDimension;
  /** The depth, or the number of children, that would result. */
  current: number;
  limit: number;
  /** The parent. */
  sessionId: SessionId;
}
/** The project's limits forbid another level of delegation, or that many delegates. */
export declare class DelegationCapacityExceeded extends DetailedError<DelegationCapacityExceededDetails> {
  constructor(details: DelegationCapacityExceededDetails);
}
interface ArtifactRefCycleErrorDetails {
  startSubSessionId: SubSessionId;
  /** From the start upward; the last id is the one that was met before. */
  cyclePath: readonly SubSessionId[];
}
/** A chain of interventions leads back into itself. */
export declare class ArtifactRefCycleError extends DetailedError<ArtifactRefCycleErrorDetails> {
  constructor(details: ArtifactRefCycleErrorDetails);
}
interface InterventionDepthExceededDetails {
  /** The sub-session that was proposed. */
  subSessionId: SubSessionId;
  depth: number;
  limit: number;
}
/** A chain of interventions is longer than the project allows. */
export declare class InterventionDepthExceeded extends DetailedError<InterventionDepthExceededDetails> {
  constructor(details: InterventionDepthExceededDetails);
}
interface FilesystemMigrationErrorDetails {
  /** The step that failed. */
  op: "acquire_lock" | "enumerate_threads" | "validate_thread_id" | "mkdir_session" | "rename_runs" | "write_project_json" | "write_session_json" | "write_marker" | (string & {});
  path: string;
  cause?: unknown;
}
/** The migration of a root stopped. Running it again continues where it stopped. */
export declare class FilesystemMigrationError extends DetailedError<FilesystemMigrationErrorDetails> {
  constructor(details: FilesystemMigrationErrorDetails);
}
interface StalePrefixErrorDetails {
  rawId: string;
  /** The prefix is none that was ever used, or it is the former `thd_`. */
  kind: "unknown_prefix" | "thd_rejected";
}
/** An id has a prefix that is not accepted here. */
export declare class StalePrefixError extends DetailedError<StalePrefixErrorDetails> {
  constructor(details: StalePrefixErrorDetails);
}
type Outcome = "not_done" | "done" | "unknown";
interface StoreErrorOptions {
  /** Where the store is: the absolute path of its directory. */
  readonly place?: string | undefined;
  readonly cause?: unknown;
}
/**
 * A store could not be used: what keeps its records failed, holds damage, or was closed.
 * The call was not at fault; another one of the same store may fail likewise.
 *
 * @example
 * ```ts
 * try {
 *   await store.appendMessage(sessionId, message, tenantId);
 * } catch (error) {
 *   if (!(error instanceof StoreError)) throw error;
 *   alertOperator(error.place, error.code, error.message);
 * }
 * ```
 */
export declare abstract class StoreError<Details extends object = object> extends DetailedError<Details> {
  /** Where the store is: the absolute path of its directory; absent for one in memory. */
  readonly place?: string;
  constructor(message: string, details: Details, { place, ...cause }?: StoreErrorOptions);
  /** What was being done, where the error says so. */
  get op(): string | undefined;
  /** Whether a change took place: it did not, it did all the same, or it cannot be told. */
  get outcome(): Outcome | undefined;
}
interface StoreIoErrorDetails {
  /** What was being done. */
  op: string;
  /** To which file, relative to `place`; `.` is the directory itself. */
  path: string;
  /** The system's error code, for example `EACCES`. */
  code: string;
  /** Whether the change took place. */
  outcome: Outcome;
  /** The absolute path of the store's directory. */
  place?: string;
}
/** The operating system refused an operation on a store's files. */
export declare class StoreIoError extends StoreError<StoreIoErrorDetails> {
  constructor(details: StoreIoErrorDetails, { message, ...options }?: {
    cause?: unknown;
    message?: string;
  });
}
interface CorruptRecordErrorDetails {
  /** The file, relative to the store's directory. */
  path: string;
  /** The damaged line, counted from 1, where the file has lines. */
  line?: number;
  reason: string;
}
/** A file of a store is damaged. Its siblings stay readable. */
export declare class CorruptRecordError extends StoreError<CorruptRecordErrorDetails> {
  constructor(details: CorruptRecordErrorDetails, options?: StoreErrorOptions);
}
interface StoreClosedErrorDetails {
  /** The absolute path of the store's directory; absent for one in memory. */
  place?: string;
}
/** The store was closed. */
export declare class StoreClosedError extends StoreError<StoreClosedErrorDetails> {
  constructor(details?: StoreClosedErrorDetails);
}
interface TenantIsolationErrorDetails {
  /** The tenant that asked. */
  requested: TenantId;
  /** What it asked for, for example `session(ses_0a1b2c3d4e5f)`. */
  resource: string;
}
/** A tenant asked for what belongs to another. Nothing else is revealed. */
export declare class TenantIsolationError extends DetailedError<TenantIsolationErrorDetails> {
  constructor(details: TenantIsolationErrorDetails);
}
interface AncestryCycleErrorDetails {
  /** Where the walk started. */
  sessionId: SessionId;
  /** From there upward; the last id is the one that was met before. */
  cyclePath: readonly SessionId[];
}
/** A session is, over one or more edges, its own ancestor. */
export declare class AncestryCycleError extends DetailedError<AncestryCycleErrorDetails> {
  constructor(details: AncestryCycleErrorDetails);
}
interface StaleSessionErrorDetails {
  sessionId: SessionId;
  /** The `ownerVersion` that the caller expected. */
  expectedVersion: number;
  /** The `ownerVersion` that is stored. */
  actualVersion: number;
}
/** A session changed its owner since it was read: read it again, then decide again. */
export declare class StaleSessionError extends DetailedError<StaleSessionErrorDetails> {
  constructor(details: StaleSessionErrorDetails);
}
interface InvalidIdErrorDetails {
  /** The type of id, for example `SessionId`. */
  kind: string;
  /** The id as it was given. */
  value: string;
  /** What it should look like. */
  expected: string;
}
/** An id that is no path component was to be written. */
export declare class InvalidIdError extends DetailedError<InvalidIdErrorDetails> {
  constructor(details: InvalidIdErrorDetails);
}
interface InvalidArgumentErrorDetails {
  /** The name of the argument. */
  argument: string;
  /** What it should be. */
  expected: string;
  /** What it is, for example `number 42`. */
  received: string;
}
/** An argument is missing, or of the wrong type or shape. Nothing was written. */
export declare class InvalidArgumentError extends DetailedError<InvalidArgumentErrorDetails> {
  constructor(details: InvalidArgumentErrorDetails, options?: {
    cause?: unknown;
    message?: string;
  });
}
interface NotFoundErrorDetails {
  /** What is missing: `project`, `session`, `sub-session`, `workspace driver`. */
  kind: string;
  /** Its id, as it was given. */
  id: string;
}
/** What an operation needs does not exist. */
export declare class NotFoundError extends DetailedError<NotFoundErrorDetails> {
  constructor(details: NotFoundErrorDetails, options?: {
    message?: string;
  });
}
interface AttachedSubSessionsErrorDetails {
  sessionId: SessionId;
  /** The sub-sessions that name the session as parent or child. */
  edges: readonly SubSessionId[];
}
/** A session that sub-sessions still name as parent or child cannot be deleted. */
export declare class AttachedSubSessionsError extends DetailedError<AttachedSubSessionsErrorDetails> {
  constructor(details: AttachedSubSessionsErrorDetails);
}
interface IdempotencyConflictErrorDetails {
  sessionId: SessionId;
  key: string;
  /**
   * The fields that differ, by name: `content`, of several messages `1.content`, and `length`
   * where there are more or fewer messages. Empty where they only come in another order.
   */
  fields?: readonly string[];
}
/** An idempotency key came again with other messages. Nothing was appended. */
export declare class IdempotencyConflictError extends DetailedError<IdempotencyConflictErrorDetails> {
  constructor(details: IdempotencyConflictErrorDetails);
}
interface SessionEvictedErrorDetails {
  sessionId: SessionId;
  /** The bundle that has the session's messages. */
  archiveRef: ArchiveBackendRef;
}
/** The messages of a session are in an archive only: restore its sub-session first. */
export declare class SessionEvictedError extends DetailedError<SessionEvictedErrorDetails> {
  constructor(details: SessionEvictedErrorDetails);
}
interface LogTooLargeErrorDetails {
  sessionId: SessionId;
  /** The longest log, in bytes, that is answered as one list. */
  maxBytes: number;
}
/** The messages of a session are too many for one list: stream them, or read them in parts. */
export declare class LogTooLargeError extends DetailedError<LogTooLargeErrorDetails> {
  constructor(details: LogTooLargeErrorDetails);
}
interface AgentSummaryTooLongErrorDetails {
  /** The length of the text, in UTF-16 code units. */
  actual: number;
  max: number;
}
/** The agent's summary is longer than allowed. */
export declare class AgentSummaryTooLongError extends DetailedError<AgentSummaryTooLongErrorDetails> {
  constructor(details: AgentSummaryTooLongErrorDetails);
}
interface SessionAlreadySummarizedErrorDetails {
  sessionId: SessionId;
  existingSummaryId: SummaryId;
}
/** A session has another summary already, and a summary never changes. */
export declare class SessionAlreadySummarizedError extends DetailedError<SessionAlreadySummarizedErrorDetails> {
  constructor(details: SessionAlreadySummarizedErrorDetails);
}
type WorkspaceBackendOp = "create" | "dispose" | "inspect:list" | "inspect:status" | (string & {});
interface WorkspaceBackendErrorDetails {
  /** What the backend was doing. */
  op: WorkspaceBackendOp;
  kind: WorkspaceBackendKind;
  /** The first error's own object. */
  cause?: unknown;
}
/** A backend could not provide, inspect or dispose of a workspace. */
export declare class WorkspaceBackendError extends DetailedError<WorkspaceBackendErrorDetails> {
  constructor(details: WorkspaceBackendErrorDetails);
}
/** A `file:` URL, as `new URL('./data', import.meta.url)` makes one. */
export interface FileUrl {
  readonly href: string;
  readonly protocol: string;
}
/** Where a {@link DiskArchiveBackend} keeps its bundles. */
export interface DiskArchiveBackendConfig {
  /**
   * The bundles are in its folder `archive`; it may be the root of a store. A path, or a
   * `file:` URL object.
   */
  rootDir: string | FileUrl;
  /**
   * `full`, the default: a bundle survives a power loss before it counts as
   * complete. `relaxed` leaves that to the operating system.
   */
  durability?: "full" | "relaxed" | undefined;
}
/** How a bundle stands: it can be read, or why not. */
export interface ArchiveBundleState {
  readonly archiveRef: ArchiveBackendRef;
  readonly state: "complete" | "incomplete" | "corrupt";
}
/**
 * Keeps each bundle in a folder `archive/<archiveRef>/` of its own, in the format
 * of `@namzu/sdk` 0.2.0, with a SHA-256 of every file. A bundle that the SDK wrote
 * has none, and is read without being verified.
 *
 * With the `rootDir` of the store that is archived, a bundle becomes complete and
 * its sub-session archived in one step.
 */
export declare class DiskArchiveBackend implements ArchiveBackend {
  readonly kind: "disk";
  private readonly place;
  constructor(config: DiskArchiveBackendConfig);
  /**
   * Writes a new bundle.
   *
   * @throws StoreIoError when the system refuses; no bundle is left behind then
   */
  store(input: ArchiveInput): Promise<ArchiveOutput>;
  /**
   * Verifies a bundle and reads it.
   *
   * @throws ArchiveNotFoundError with the reason: `missing`, `incomplete` or `corrupt`
   */
  restore(archiveRef: ArchiveBackendRef): Promise<ArchiveInput>;
  /**
   * Removes a bundle for good; one that is missing is removed already. What is in no
   * other place goes with it: a session that was evicted into it has no messages left.
   * The backend knows no tenants: the application says which caller may ask.
   *
   * @throws StoreIoError when the system refuses
   */
  remove(archiveRef: ArchiveBackendRef): Promise<void>;
  /**
   * Reads every bundle, and says how it stands. An `incomplete` one was never
   * finished: nothing refers to it, and the next sweep removes it.
   */
  verify(): Promise<readonly ArchiveBundleState[]>;
}
/** Refuses delegations that exceed a project's limits, with `DelegationCapacityExceeded`. */
export interface CapacityValidator {
  /** Whether a session may have a child: the length of its ancestry must not exceed the maximum. */
  validateDepth(parentSessionId: SessionId, projectMaxDepth: number, tenantId: TenantId): Promise<void>;
  /** Whether a session may have that many more children than it has. */
  validateWidth(parentSessionId: SessionId, pendingNewChildren: number, projectMaxWidth: number, tenantId: TenantId): Promise<void>;
}
/** Counts what the store says of a session's ancestry and children. */
export declare class DefaultCapacityValidator implements CapacityValidator {
  private readonly store;
  constructor(store: Pick<SessionStore, "getAncestry" | "getChildren">);
  validateDepth(parentSessionId: SessionId, projectMaxDepth: number, tenantId: TenantId): Promise<void>;
  validateWidth(parentSessionId: SessionId, pendingNewChildren: number, projectMaxWidth: number, tenantId: TenantId): Promise<void>;
}
/** The source is locked: no other handoff of it can begin now. */
export interface HandoffLockedEvent {
  sessionId: SessionId;
  at: Date;
}
/** The handoff was undone, and the source unlocked: never told of one that stays locked. */
export interface HandoffUnlockedEvent {
  sessionId: SessionId;
  at: Date;
}
/** The handoff is done. */
export interface HandoffCommittedEvent {
  sessionId: SessionId;
  /** The source's `ownerVersion` from now on. */
  newVersion: number;
  handoffIds: readonly HandoffId[];
  at: Date;
}
/** A broadcast was undone. */
export interface HandoffBroadcastRollbackEvent {
  sessionId: SessionId;
  broadcastId: string;
  /** The message of the error that it failed with. */
  reason: string;
  /** How far it had come. */
  partialState: {
    assignmentsWritten: number;
    subsessionsCreated: number;
    worktreesProvisioned: number;
  };
  at: Date;
}
/**
 * Listens to handoffs. A callback that throws, or whose promise rejects, changes nothing
 * about the handoff; it is reported by `process.emitWarning`.
 */
export interface HandoffEventSink {
  onLocked?(event: HandoffLockedEvent): void;
  onUnlocked?(event: HandoffUnlockedEvent): void;
  onCommitted?(event: HandoffCommittedEvent): void;
  onBroadcastRollback?(event: HandoffBroadcastRollbackEvent): void;
}
/** Listens to nothing. */
export declare const NOOP_HANDOFF_SINK: HandoffEventSink;
/** A run that is in the way. */
export interface BlockingRun {
  reason: HandoffLockRejectedReason;
  runId?: RunId;
}
/** Knows the runs of sessions, which a store does not. */
export interface RunStatusResolver {
  /** The run that keeps a session from being handed over, or `null`. */
  blockingRun(sessionId: SessionId, tenantId: TenantId): Promise<BlockingRun | null>;
}
/** Knows no runs. */
export declare const NOOP_RUN_STATUS_RESOLVER: RunStatusResolver;
/** What {@link executeSingleHandoff} works with. Any object of the right shape will do. */
export interface SingleHandoffDeps {
  store: SessionStore;
  workspaceRegistry: WorkspaceRegistry;
  capacity: CapacityValidator;
  events: HandoffEventSink;
  /** {@link NOOP_RUN_STATUS_RESOLVER} when absent. */
  runStatus?: RunStatusResolver | undefined;
}
/** What {@link executeBroadcastHandoff} works with. */
export interface BroadcastHandoffDeps extends SingleHandoffDeps {
}
/** What {@link recoverHandoffs} works with. */
export interface HandoffRecoveryDeps extends Pick<SingleHandoffDeps, "store" | "workspaceRegistry"> {
  events?: HandoffEventSink | undefined;
}
type Accepted<Deps extends Pick<SingleHandoffDeps, "workspaceRegistry">> = Omit<Deps, "workspaceRegistry"> & {
  workspaceRegistry: Pick<WorkspaceRegistry, "get">;
};
/** Whether a session goes to one actor or to several at once. */
export type HandoffMode = "single" | "broadcast";
/** One session to one actor. A broadcast is several of these, made for the same session. */
export interface HandoffAssignment {
  id: HandoffId;
  mode: HandoffMode;
  sourceSessionId: SessionId;
  tenantId: TenantId;
  projectId: ProjectId;
  /** Who hands the session over. */
  sourceActor: ActorRef;
  /** Who gets it. */
  recipientActor: ActorRef;
  /** The `ownerVersion` of the session that this was made for. */
  expectedOwnerVersion: number;
  createdAt: Date;
  /** What the assignments of one broadcast have in common. */
  broadcastId?: string;
}
/** What came of an assignment. */
export interface HandoffOutcome {
  assignmentId: HandoffId;
  /** The recipient's session. */
  newSessionId: SessionId;
  /** The recipient's workspace. */
  workspaceId: WorkspaceId;
  /** The source's `ownerVersion` from now on. */
  committedOwnerVersion: number;
}
/**
 * Hands a session to another actor: locks it, makes a workspace, a session and an
 * edge for the recipient, and passes the ownership on. A failure after the lock
 * takes everything back and is rethrown as it was.
 *
 * Over a store of this package with nothing overridden a handoff is atomic and
 * exclusive: of any number at once, in any number of processes, exactly one wins.
 * Over any other store it is as exclusive as that store's `updateSession`.
 *
 * @throws HandoffLockRejected when the session is not idle, or a run is in the way.
 * @throws HandoffVersionConflict when it is at another version than expected.
 * @throws DelegationCapacityExceeded when the project's limits forbid it.
 * @throws TenantIsolationError when the assignment or the session is another tenant's.
 */
export declare function executeSingleHandoff(deps: Accepted<SingleHandoffDeps>, assignment: HandoffAssignment, tenantId: TenantId): Promise<HandoffOutcome>;
/**
 * Hands a session to several actors at once: all of them get it, or none. The
 * session waits in `awaiting_merge` afterwards; its current actor stays.
 *
 * Otherwise as {@link executeSingleHandoff}. The assignments must agree on
 * everything but their ids and recipients.
 */
export declare function executeBroadcastHandoff(deps: Accepted<BroadcastHandoffDeps>, assignments: readonly HandoffAssignment[], tenantId: TenantId): Promise<readonly HandoffOutcome[]>;
/** A handoff that was undone. */
export interface RecoveredHandoff {
  readonly sourceSessionId: SessionId;
  readonly mode: HandoffMode;
  readonly handoffIds: readonly HandoffId[];
}
/**
 * Undoes every unfinished handoff of a tenant whose process has ended, or that this
 * process could not undo when it failed: removes its workspaces, with their branches
 * where a `GitWorktreeDriver` made them, and makes its source `idle` again. A handoff
 * that is running, in this or any other living process, is left alone; so is a source
 * that something else locked. To be called when a root is opened again; run twice, or
 * at once in two processes, it does no harm.
 *
 * A single handoff that was undone is told by `onUnlocked`, a broadcast by
 * `onBroadcastRollback`; of one whose source was deleted meanwhile, the workspaces are
 * removed and no event is sent. A store that is not of this package has nothing to recover.
 *
 * @throws The first error of a workspace that could not be removed, or of an intent of
 * the tenant that could not be read, when all others were tried; its handoff stays as it
 * was, to be tried again. What another tenant has is no reason to throw, readable or not.
 */
export declare function recoverHandoffs(deps: Accepted<HandoffRecoveryDeps>, tenantId: TenantId): Promise<readonly RecoveredHandoff[]>;
/** A sub-session in a chain of interventions. */
export interface PrevArtifactNode {
  readonly subSessionId: SubSessionId;
  /** Its child session. */
  readonly sessionId: SessionId;
  /** What it went on from. */
  readonly prevArtifactRef?: DeliverableRef;
}
/** Finds the sub-session that led to a session. */
export interface InterventionChainLoader {
  loadAncestor(sessionId: SessionId): Promise<PrevArtifactNode | null>;
}
/**
 * Follows the chain that a proposed intervention would go on. Only deliverables of
 * the kind `session_summary` link; any other ends the chain.
 *
 * @param maxDepth how long the chain may be
 * @returns its sub-sessions, the nearest first
 * @throws ArtifactRefCycleError when it leads back into itself
 * @throws InterventionDepthExceeded when it is longer than `maxDepth`
 */
export declare function validatePrevArtifactChain(loader: InterventionChainLoader, proposedChild: SubSessionId, candidateAncestor: DeliverableRef, maxDepth: number): Promise<readonly SubSessionId[]>;
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
  kind: "id_prefix_legacy_read";
  /** The id as it was read. */
  legacyId: string;
  /** What it is now. */
  normalizedId: ProjectId;
  at: Date;
  /** There is one warning for each id and process. */
  emittedOncePerProcess: true;
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
  version: string;
  at: Date;
  /** The threads that were migrated, and the project that each became. */
  migratedThreads: readonly {
    legacyThreadId: string;
    newProjectId: ProjectId;
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
 * @throws An error with the `code` `'EEXIST'` when another process has it.
 */
export declare function acquireMigrationLock(tmpPath: string): Promise<void>;
/** Removes the lock of a migration; fine where there is none. */
export declare function releaseMigrationLock(tmpPath: string): Promise<void>;
/** How a migration ended. */
export interface FilesystemMigrationResult {
  /** The root is migrated, it was before, or it has no `threads/`. */
  kind: "migrated" | "already_migrated" | "noop_no_legacy";
  /** The threads that were migrated now. */
  migratedThreads: MigrationMarker["migratedThreads"];
  markerPath: string;
  /** When the root was migrated. */
  at: Date;
}
/** Told when a root was migrated. */
export interface FilesystemMigrationEvent {
  type: "filesystem.migrated";
  result: FilesystemMigrationResult;
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
  readonly onProgress?: ((progress: FilesystemMigrationProgress) => void) | undefined;
  /** Stops the migration; the next one goes on where it stopped. */
  readonly signal?: AbortSignalLike | undefined;
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
/**
 * The given text as a {@link ProjectId}, when it starts with `prj_`.
 *
 * @throws InvalidIdError when it does not
 */
export declare function parseProjectId(raw: string): ProjectId;
/** Whether a value is a {@link ProjectId} for {@link parseProjectId}. */
export declare function isProjectId(value: unknown): value is ProjectId;
/**
 * The given text as a {@link RunId}, when it starts with `run_`.
 *
 * @throws InvalidIdError when it does not
 */
export declare function parseRunId(raw: string): RunId;
/** Whether a value is a {@link RunId} for {@link parseRunId}. */
export declare function isRunId(value: unknown): value is RunId;
/**
 * The given text as a project id, `thd_` (the prefix of former releases)
 * accepted as well and kept as it is.
 *
 * @throws InvalidIdError when it starts with neither `prj_` nor `thd_`
 * @deprecated Use {@link parseProjectId}.
 */
export declare function parseThreadId(raw: string): ThreadId;
/**
 * The given text as the id of a tenant: `tnt_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseTenantId(raw: string): TenantId;
/** Whether a value is a {@link TenantId} for {@link parseTenantId}. */
export declare function isTenantId(value: unknown): value is TenantId;
/**
 * The given text as the id of a session: `ses_` and 1 to 124 characters of `A-Z a-z 0-9 _ -`.
 *
 * @example
 * ```ts
 * const sessionId = parseSessionId(request.params.id);
 * const session = await store.getSession(sessionId, tenantId);
 * ```
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseSessionId(raw: string): SessionId;
/** Whether a value is a {@link SessionId} for {@link parseSessionId}. */
export declare function isSessionId(value: unknown): value is SessionId;
/**
 * The given text as the id of a sub-session: `sub_` and 1 to 124 characters of `A-Z a-z 0-9 _ -`.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseSubSessionId(raw: string): SubSessionId;
/** Whether a value is a {@link SubSessionId} for {@link parseSubSessionId}. */
export declare function isSubSessionId(value: unknown): value is SubSessionId;
/**
 * The given text as the id of a message: `msg_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseMessageId(raw: string): MessageId;
/** Whether a value is a {@link MessageId} for {@link parseMessageId}. */
export declare function isMessageId(value: unknown): value is MessageId;
/**
 * The given text as the id of a handoff assignment: `hof_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseHandoffId(raw: string): HandoffId;
/** Whether a value is a {@link HandoffId} for {@link parseHandoffId}. */
export declare function isHandoffId(value: unknown): value is HandoffId;
/**
 * The given text as the id of a workspace: `wsp_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseWorkspaceId(raw: string): WorkspaceId;
/** Whether a value is a {@link WorkspaceId} for {@link parseWorkspaceId}. */
export declare function isWorkspaceId(value: unknown): value is WorkspaceId;
/**
 * The given text as the id of a session summary: `sum_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseSummaryId(raw: string): SummaryId;
/** Whether a value is a {@link SummaryId} for {@link parseSummaryId}. */
export declare function isSummaryId(value: unknown): value is SummaryId;
/**
 * The given text as the id of a deliverable: `del_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseDeliverableId(raw: string): DeliverableId;
/** Whether a value is a {@link DeliverableId} for {@link parseDeliverableId}. */
export declare function isDeliverableId(value: unknown): value is DeliverableId;
/**
 * The given text as the id of a task: `task_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseTaskId(raw: string): TaskId;
/** Whether a value is a {@link TaskId} for {@link parseTaskId}. */
export declare function isTaskId(value: unknown): value is TaskId;
/**
 * The given text as the id of an user: `usr_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseUserId(raw: string): UserId;
/** Whether a value is an {@link UserId} for {@link parseUserId}. */
export declare function isUserId(value: unknown): value is UserId;
/**
 * The given text as the id of an agent: `agt_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseAgentId(raw: string): AgentId;
/** Whether a value is an {@link AgentId} for {@link parseAgentId}. */
export declare function isAgentId(value: unknown): value is AgentId;
/**
 * The given text as the id of a system role: `sys_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseSystemRoleId(raw: string): SystemRoleId;
/** Whether a value is a {@link SystemRoleId} for {@link parseSystemRoleId}. */
export declare function isSystemRoleId(value: unknown): value is SystemRoleId;
/**
 * The given text as the id of an archived bundle: `arc_` and 1 to 124 characters of `A-Z a-z 0-9 _ -`.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseArchiveBackendRef(raw: string): ArchiveBackendRef;
/** Whether a value is an {@link ArchiveBackendRef} for {@link parseArchiveBackendRef}. */
export declare function isArchiveBackendRef(value: unknown): value is ArchiveBackendRef;
/**
 * The given text as the id of a shared memory store: `mms_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseMemoryStoreRef(raw: string): MemoryStoreRef;
/** Whether a value is a {@link MemoryStoreRef} for {@link parseMemoryStoreRef}. */
export declare function isMemoryStoreRef(value: unknown): value is MemoryStoreRef;
/**
 * The given text as the id of a shared vault: `vlt_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseVaultRef(raw: string): VaultRef;
/** Whether a value is a {@link VaultRef} for {@link parseVaultRef}. */
export declare function isVaultRef(value: unknown): value is VaultRef;
/**
 * The given text as the id of a shared knowledge base: `kbs_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export declare function parseKnowledgeBaseRef(raw: string): KnowledgeBaseRef;
/** Whether a value is a {@link KnowledgeBaseRef} for {@link parseKnowledgeBaseRef}. */
export declare function isKnowledgeBaseRef(value: unknown): value is KnowledgeBaseRef;
/** Which part of a project's sessions is wanted. */
export interface ListSessionsOptions extends PageOptions {
  /** Only sessions of this status. */
  readonly status?: SessionStatus | undefined;
}
/** What a new project is made from, its configuration included. */
export interface CreateConfiguredProjectParams extends CreateProjectParams {
  /** Any part of the configuration; the rest gets its default. */
  config?: ProjectConfigPatch | undefined;
}
/** How messages are appended. */
export interface AppendOptions {
  /**
   * Names the append, so that it can be sent again when it is not known whether it
   * arrived: the second time appends nothing and answers the first time's ids.
   */
  readonly idempotencyKey?: string | undefined;
}
/**
 * Which messages are wanted: those after `after` and before `before`; of these
 * the first `limit` where there is an `after`, otherwise the last `limit`.
 */
export interface MessageRange {
  readonly limit?: number | undefined;
  readonly before?: MessageId | undefined;
  readonly after?: MessageId | undefined;
}
/**
 * A {@link SessionStore} that also lists, pages, streams and replaces.
 * `InMemorySessionStore` and `DiskSessionStore` implement it.
 */
export interface ExtendedSessionStore extends SessionStore {
  /** As {@link SessionStore.createProject}, with any part of the configuration. */
  createProject(params: CreateConfiguredProjectParams, tenantId: TenantId): Promise<Project>;
  /**
   * Changes part of a project's configuration, key by key, and stamps
   * `updatedAt`. A key that is absent or `undefined` is left alone.
   *
   * @returns the changed project, or `null` when there is none with this id
   */
  updateProject(id: ProjectId, config: ProjectConfigPatch, tenantId: TenantId): Promise<Project | null>;
  /**
   * The tenant's projects, oldest first; those of one millisecond in the order of their creation,
   * as far as this package created them, else by id. A cursor stays valid while
   * projects come and go: one that is there throughout comes exactly once.
   */
  listProjects(tenantId: TenantId, page?: PageOptions): Promise<Page<Project>>;
  /**
   * The sessions whose records say this project, ordered likewise; an empty page when there
   * is no such project. Cursors are as those of
   * {@link ExtendedSessionStore.listProjects}.
   */
  listSessionsByProject(projectId: ProjectId, tenantId: TenantId, options?: ListSessionsOptions): Promise<Page<Session>>;
  /**
   * As {@link SessionStore.appendMessage}, once only for an idempotency key.
   *
   * @throws IdempotencyConflictError when the key was used for another message
   * @throws SessionEvictedError while the session's messages are in an archive only
   */
  appendMessage(sessionId: SessionId, message: Message, tenantId: TenantId, options?: AppendOptions): Promise<MessageId>;
  /**
   * Appends messages, all or none, with nothing of another caller between them: an
   * assistant's tool calls and their results never come apart.
   *
   * @returns the ids that the messages got, in order
   * @throws Error (`… not found`) when there is no such session
   * @throws IdempotencyConflictError when the key was used for other messages
   * @throws SessionEvictedError while the session's messages are in an archive only
   */
  appendMessages(sessionId: SessionId, messages: readonly Message[], tenantId: TenantId, options?: AppendOptions): Promise<readonly MessageId[]>;
  /**
   * The messages in the order of their appending, or the part of them that
   * `range` selects. What a part costs follows its size, not the log's length.
   *
   * @throws InvalidArgumentError when `range` names a message that is not there
   * @throws LogTooLargeError when the messages are too many for one list: read
   *   them with {@link ExtendedSessionStore.streamMessages}, or in parts
   */
  loadMessages(sessionId: SessionId, tenantId: TenantId, range?: MessageRange): Promise<readonly Message[]>;
  /** As {@link ExtendedSessionStore.loadMessages}, each message in its envelope. */
  loadSessionMessages(sessionId: SessionId, tenantId: TenantId, range?: MessageRange): Promise<readonly SessionMessage[]>;
  /**
   * The messages one by one, in memory that does not grow with the log: those that
   * are there when the first is asked for. A stream that has begun goes on to its end as
   * it began when messages are replaced, evicted or deleted meanwhile.
   *
   * @example
   * ```ts
   * for await (const { message } of store.streamMessages(session.id, tenant)) {
   *   console.log(message.role);
   * }
   * ```
   */
  streamMessages(sessionId: SessionId, tenantId: TenantId, range?: MessageRange): AsyncIterableIterator<SessionMessage>;
  /**
   * Compacts a session: readers see `messages` from now on, with new ids, instead
   * of what was there. The earlier lines stay in the log file, which only ever
   * grows.
   *
   * A log with such a replacement is the one thing that `@namzu/sdk` 0.2.0 itself
   * misreads: do not replace messages in a root that it still opens. Later releases
   * of it write and read the same lines.
   *
   * @throws Error (`… not found`) when there is no such session
   * @throws SessionEvictedError while the session's messages are in an archive only
   */
  replaceMessages(sessionId: SessionId, messages: readonly Message[], tenantId: TenantId): Promise<void>;
  /**
   * Resolves when everything that this store answered before is synced and in the
   * records. Where a write is answered only then, as in memory, it resolves at once.
   *
   * @throws StoreIoError when it cannot be synced, or could not be since the last flush
   */
  flush(): Promise<void>;
  /** How many messages `loadMessages` would answer; 0 when there is no such session. */
  countMessages(sessionId: SessionId, tenantId: TenantId): Promise<number>;
  /**
   * Looks again at what other programs wrote into the store's directory while it is open: a
   * restored backup, another tool, `@namzu/sdk` itself. What was there when it was opened is
   * seen without. In memory there is nothing to look at.
   *
   * @throws {StoreIoError} When something in the directory cannot be read.
   *
   * @example
   * ```ts
   * // Another program changed the directory.
   * await store.refresh();
   * const line = await store.getAncestry(session.id, tenant);
   * ```
   */
  refresh(): Promise<void>;
}
/**
 * A store that is closed when it is no longer used, by `close()` or at the end of an
 * `await using` block. `InMemorySessionStore` and `DiskSessionStore` implement it.
 *
 * @example
 * ```ts
 * async function withStore(store: ClosableSessionStore): Promise<void> {
 *   await using open = store;
 *   await open.createProject({ tenantId: tenant, name: 'Support' }, tenant);
 * }
 * ```
 */
export interface ClosableSessionStore extends ExtendedSessionStore {
  /**
   * Finishes what was started and lets go of what the store holds. Later calls reject with
   * `StoreClosedError`; closing again does nothing.
   */
  close(): Promise<void>;
  /** Closes the store at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}
declare abstract class NativeSessionStore implements ClosableSessionStore {
  createProject(params: CreateConfiguredProjectParams, tenantId: TenantId): Promise<Project>;
  getProject(id: ProjectId, tenantId: TenantId): Promise<Project | null>;
  updateProject(id: ProjectId, config: ProjectConfigPatch, tenantId: TenantId): Promise<Project | null>;
  listProjects(tenantId: TenantId, page?: PageOptions): Promise<Page<Project>>;
  listSessionsByProject(projectId: ProjectId, tenantId: TenantId, options?: ListSessionsOptions): Promise<Page<Session>>;
  createSession(params: CreateSessionParams, tenantId: TenantId): Promise<Session>;
  getSession(id: SessionId, tenantId: TenantId): Promise<Session | null>;
  updateSession(session: Session, tenantId: TenantId, expectedOwnerVersion?: number): Promise<void>;
  deleteSession(id: SessionId, tenantId: TenantId): Promise<void>;
  createSubSession(params: CreateSubSessionParams, tenantId: TenantId): Promise<SubSession>;
  getSubSession(id: SubSessionId, tenantId: TenantId): Promise<SubSession | null>;
  updateSubSession(sub: SubSession, tenantId: TenantId): Promise<void>;
  deleteSubSession(id: SubSessionId, tenantId: TenantId): Promise<void>;
  appendMessage(sessionId: SessionId, message: Message, tenantId: TenantId, options?: AppendOptions): Promise<MessageId>;
  appendMessages(sessionId: SessionId, messages: readonly Message[], tenantId: TenantId, options?: AppendOptions): Promise<readonly MessageId[]>;
  loadMessages(sessionId: SessionId, tenantId: TenantId, range?: MessageRange): Promise<readonly Message[]>;
  loadSessionMessages(sessionId: SessionId, tenantId: TenantId, range?: MessageRange): Promise<readonly SessionMessage[]>;
  streamMessages(sessionId: SessionId, tenantId: TenantId, range?: MessageRange): AsyncIterableIterator<SessionMessage>;
  replaceMessages(sessionId: SessionId, messages: readonly Message[], tenantId: TenantId): Promise<void>;
  countMessages(sessionId: SessionId, tenantId: TenantId): Promise<number>;
  getChildren(sessionId: SessionId, tenantId: TenantId): Promise<readonly SubSession[]>;
  getAncestry(sessionId: SessionId, tenantId: TenantId): Promise<readonly SessionId[]>;
  drill(sessionId: SessionId, tenantId: TenantId): Promise<SessionView | null>;
  recordSummary(summary: SessionSummaryRef, tenantId: TenantId): Promise<void>;
  getSummary(sessionId: SessionId, tenantId: TenantId): Promise<SessionSummaryRef | null>;
  /**
   * Resolves when everything that this store answered before is synced and in the
   * records. With `durability: 'full'`, and in memory, it is already; with `'relaxed'` this
   * is how to wait for it, for instance before another program reads the files.
   *
   * @example
   * ```ts
   * const store = new DiskSessionStore({ rootDir: './data', durability: 'relaxed' });
   * // … many writes …
   * await store.flush(); // a power cut takes none of them from here on
   * ```
   *
   * @throws {StoreIoError} With `details.outcome` `'unknown'` when a sync failed since the
   * last flush of what was answered before: read before repeating it. With `'done'` when
   * it is synced and cannot be brought into the records yet.
   */
  flush(): Promise<void>;
  /**
   * Finishes what was started and lets go of whatever the store holds; a disk store
   * syncs everything into its records first. Later calls reject with
   * `StoreClosedError`; closing again is fine.
   *
   * @throws {StoreIoError} When something cannot be synced, or could not be since the last
   * flush. It is kept in the journal, and the store is closed all the same.
   */
  close(): Promise<void>;
  refresh(): Promise<void>;
  /** Closes the store at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}
/** Where a {@link DiskSessionStore} keeps its records. */
export interface DiskSessionStoreConfig {
  /**
   * The directory of the store. It need not exist: the first write creates it.
   * A relative path is resolved once, when the store is constructed. A `file:` URL object
   * is taken as well; a string that looks like a URL is refused.
   */
  rootDir: string | FileUrl;
  /**
   * What an answered write survives: `full`, the default, a power cut; `relaxed` a
   * crash of the process, while a power cut takes what was not synced yet, as whole writes
   * from the end. {@link DiskSessionStore.flush} waits until it is.
   */
  durability?: Durability | undefined;
  /**
   * Told how the walk goes on through a root that was never looked through yet, as one that
   * `@namzu/sdk` wrote: that happens once, before the first answer that rests on the index.
   */
  onProgress?: ((progress: AdoptionProgress) => void) | undefined;
  /**
   * `true` says that no other program writes into `rootDir`: the index is believed, and
   * this process does not look for what others changed before its first answer that rests
   * on it. A root that was never looked through is looked through once all the same.
   * `false` by default; {@link DiskSessionStore.refresh} looks in any case.
   */
  trustIndex?: boolean | undefined;
  /**
   * The longest message log, in bytes, that is still answered as one list; what is
   * longer is read with `streamMessages` or in parts. By default that is V8's
   * longest string, about 512 MiB.
   */
  maxListBytes?: number | undefined;
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
 * The constructor neither reads nor writes. It throws `InvalidArgumentError` for options
 * that cannot be used; what the system refuses makes the calls reject, with `StoreIoError`.
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
/** What a {@link SessionSummaryMaterializer} works with. Each is looked up when it is needed. */
export interface SessionSummaryMaterializerDeps {
  readonly store: SessionStore;
  readonly generateSummaryId: () => SummaryId;
  /** The clock; the current time when absent. */
  readonly now?: (() => Date) | undefined;
}
interface AcceptedDeps$1 extends Omit<SessionSummaryMaterializerDeps, "store"> {
  readonly store: Pick<SessionStore, "getSession" | "getSummary" | "recordSummary">;
}
/** What a summary is made from. */
export interface MaterializeInput {
  readonly sessionId: SessionId;
  readonly tenantId: TenantId;
  readonly finalOutcome: SessionSummaryOutcome;
  /** At most `AGENT_SUMMARY_MAX_CHARS` long. */
  readonly agentSummary: string;
  readonly declaredDeliverables: readonly DeliverableRef[];
  readonly keyDecisions: readonly SessionSummaryKeyDecision[];
}
/**
 * Makes and records the summaries of sessions, over any store.
 *
 * @example
 * ```ts
 * const materializer = new SessionSummaryMaterializer({ store, generateSummaryId });
 * const summary = await materializer.materialize({
 *   sessionId: session.id,
 *   tenantId: tenant,
 *   finalOutcome: { status: 'succeeded' },
 *   agentSummary: 'Rebooked the flight.',
 *   declaredDeliverables: [],
 *   keyDecisions: [],
 * });
 * ```
 */
export declare class SessionSummaryMaterializer {
  private readonly deps;
  constructor(deps: AcceptedDeps$1);
  /**
   * Makes the summary of a session and records it.
   *
   * @throws AgentSummaryTooLongError when `agentSummary` is too long
   * @throws Error (`… not found`) when there is no such session
   * @throws SessionAlreadySummarizedError when the session has a summary
   */
  materialize(input: MaterializeInput): Promise<SessionSummaryRef>;
  /**
   * The summary of a session, or `null` when it has none. Where the session still
   * counts as working although it has one, as after a crash, that is made good.
   * Calling it again changes nothing.
   */
  recover(sessionId: SessionId, tenantId: TenantId): Promise<SessionSummaryRef | null>;
}
/**
 * What is wrong.
 *
 * - `damaged_record`: it is not JSON, lacks a key or has a wrong value in one, carries
 *   another id than its folder, or was written by a release too new to be read. Reading
 *   it rejects with `CorruptRecordError`; its siblings stay readable. So is a file of a
 *   bundle that is not what its `archive.json` has the SHA-256 of, or missing, or one too
 *   many (`restore` rejects), and a `.migration/v0.2.0` that is none (it counts as absent).
 * - `broken_line`: a line of a message log is no message of its session. Reading that
 *   log rejects; a line that is only left unfinished at the end is a `torn_log`, unless it
 *   is the first and begins with NULs: what the log had is lost then.
 * - `torn_log`: the last line of a message log was never finished. Readers leave it out,
 *   and the next append moves it to `.store/salvage/`.
 * - `unreadable`: the system does not let us read a file or folder.
 * - `dangling_edge`: the parent or the child session of a sub-session is missing.
 * - `orphan`: messages, a summary, an `evicted.json` or runs of a session, or sessions of a
 *   project, whose own record is missing.
 * - `missing_bundle`: the bundle that an archived sub-session or an `evicted.json` names is
 *   missing or incomplete. Bundles that another backend keeps elsewhere are not missed.
 * - `stranded_eviction`: the messages of a session are in a bundle alone, and no sub-session
 *   leads there: `ArchivalManager.restoreSession` puts them back.
 * - `duplicate_id`: a session is in several projects, or a sub-session under several
 *   sessions; this is a copy that is not the one that the store reads.
 * - `leftover`: something that an interrupted operation left behind: a name ending in
 *   `.tmp`, a deleted tree not unlinked yet, a bundle never finished, the intent of a handoff
 *   whose process has ended (`recoverHandoffs` undoes that one).
 * - `salvaged`: a fragment of a message log that an append moved out of its way, or the version
 *   of a record that a recovery did not put in place of what another program wrote.
 * - `unapplied_transaction`: the journal holds answered or unanswered writes that the
 *   records do not show yet. The next open applies them.
 * - `unreadable_journal`: a part of the journal does not hold: a write that was never
 *   answered, or damage.
 * - `stale_index`: the index does not hold, or says other than the records.
 */
export type VerifyFindingKind = "damaged_record" | "broken_line" | "torn_log" | "unreadable" | "dangling_edge" | "orphan" | "missing_bundle" | "stranded_eviction" | "duplicate_id" | "leftover" | "salvaged" | "unapplied_transaction" | "unreadable_journal" | "stale_index";
/**
 * How much a finding matters.
 *
 * - `error`: something is damaged or lost.
 * - `warning`: something is left over, or is rebuilt by itself; nothing is lost.
 * - `info`: what a healthy directory in use may show.
 */
export type VerifySeverity = "error" | "warning" | "info";
/** One thing that is wrong with a root. */
export interface VerifyFinding {
  /** The file or folder, relative to the root, with `/` between its components. */
  readonly path: string;
  readonly kind: VerifyFindingKind;
  readonly severity: VerifySeverity;
  /** The line, counted from 1, in a message log. */
  readonly line?: number;
  /** What is wrong, in words for a person; they may change between releases. */
  readonly detail: string;
}
/**
 * Walks the root directory of a `DiskSessionStore` and answers everything in it that is
 * damaged, lost or left over, ordered by path; an empty list for a root that is sound. In
 * one that is healthy and in use nothing is above `info`. It changes nothing, creates nothing, and needs no permission
 * to write.
 *
 * Every file is read as a whole, bundles included, so that it takes as long as that takes.
 * The root may be in use: what is judged is one instant. Records are judged with what
 * the journal has committed and they do not show yet.
 *
 * Rejects with `StoreIoError` when the root is missing or no directory, or it or the engine's own
 * files cannot be read, and with `InvalidArgumentError` when `rootDir` is no path. What
 * cannot be read further in is a finding of its own.
 *
 * @example
 * ```ts
 * for (const { path, line, severity, kind, detail } of await verify('./data')) {
 *   console.warn(`${severity}: ${path}${line === undefined ? '' : `:${line}`}: ${kind}: ${detail}`);
 * }
 * ```
 */
export declare function verify(rootDir: string | FileUrl): Promise<readonly VerifyFinding[]>;

export {};
