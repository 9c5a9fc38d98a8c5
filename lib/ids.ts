/**
 * Identifiers: one template-literal type for each kind of thing, so that the
 * compiler tells a session id from a project id although both are strings.
 */

import { native } from './native';

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
export const UNKNOWN_TENANT_ID: TenantId = 'tnt_unknown_legacy';

/**
 * A fresh {@link TenantId}: `tnt_` and 12 characters drawn uniformly from
 * `0-9a-z` with the operating system's random generator.
 */
export function generateTenantId(): TenantId {
  return native.generateId('tnt_') as TenantId;
}

/** A fresh {@link ProjectId}: `prj_` and 12 random characters of `0-9a-z`. */
export function generateProjectId(): ProjectId {
  return native.generateId('prj_') as ProjectId;
}

/**
 * A fresh project id, under its former name: it starts with `prj_` too.
 *
 * @deprecated Use {@link generateProjectId}.
 */
export function generateThreadId(): ProjectId {
  return generateProjectId();
}

/** A fresh {@link SessionId}: `ses_` and 12 random characters of `0-9a-z`. */
export function generateSessionId(): SessionId {
  return native.generateId('ses_') as SessionId;
}

/** A fresh {@link SubSessionId}: `sub_` and 12 random characters of `0-9a-z`. */
export function generateSubSessionId(): SubSessionId {
  return native.generateId('sub_') as SubSessionId;
}

/** A fresh {@link MessageId}: `msg_` and 12 random characters of `0-9a-z`. */
export function generateMessageId(): MessageId {
  return native.generateId('msg_') as MessageId;
}

/** A fresh {@link HandoffId}: `hof_` and 12 random characters of `0-9a-z`. */
export function generateHandoffId(): HandoffId {
  return native.generateId('hof_') as HandoffId;
}

/** A fresh {@link WorkspaceId}: `wsp_` and 12 random characters of `0-9a-z`. */
export function generateWorkspaceId(): WorkspaceId {
  return native.generateId('wsp_') as WorkspaceId;
}

/** A fresh {@link SummaryId}: `sum_` and 12 random characters of `0-9a-z`. */
export function generateSummaryId(): SummaryId {
  return native.generateId('sum_') as SummaryId;
}

/** A fresh {@link DeliverableId}: `del_` and 12 random characters of `0-9a-z`. */
export function generateDeliverableId(): DeliverableId {
  return native.generateId('del_') as DeliverableId;
}

/** A fresh {@link RunId}: `run_` and 12 random characters of `0-9a-z`. */
export function generateRunId(): RunId {
  return native.generateId('run_') as RunId;
}

/**
 * A fresh {@link TaskId}: `task_` and 12 random characters of `0-9a-z`.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export function generateTaskId(): TaskId {
  return native.generateId('task_') as TaskId;
}
