/**
 * Texts as ids: `parse…` throws for what is none, `is…` says whether it is one.
 *
 * A store takes any non-empty text for the id of a tenant, an actor or a message, names of an
 * application's own included. To parse is for ids that came from elsewhere.
 */

import { InvalidIdError } from './errors';
import type {
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
  UserId,
  VaultRef,
  WorkspaceId,
} from './ids';
import { native } from './native';

/**
 * The given text as a {@link ProjectId}, when it starts with `prj_`.
 *
 * @throws InvalidIdError when it does not
 */
export function parseProjectId(raw: string): ProjectId {
  return parsed('ProjectId', ['prj_'], raw);
}

/** Whether a value is a {@link ProjectId} for {@link parseProjectId}. */
export function isProjectId(value: unknown): value is ProjectId {
  return startsWith(['prj_'], value);
}

/**
 * The given text as a {@link RunId}, when it starts with `run_`.
 *
 * @throws InvalidIdError when it does not
 */
export function parseRunId(raw: string): RunId {
  return parsed('RunId', ['run_'], raw);
}

/** Whether a value is a {@link RunId} for {@link parseRunId}. */
export function isRunId(value: unknown): value is RunId {
  return startsWith(['run_'], value);
}

/**
 * The given text as a project id, `thd_` (the prefix of former releases)
 * accepted as well and kept as it is.
 *
 * @throws InvalidIdError when it starts with neither `prj_` nor `thd_`
 * @deprecated Use {@link parseProjectId}.
 */
export function parseThreadId(raw: string): ThreadId {
  return parsed('ThreadId', ['prj_', 'thd_'], raw);
}

/**
 * The given text as the id of a tenant: `tnt_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseTenantId(raw: string): TenantId {
  return opaqueId('TenantId', 'tnt_', raw);
}

/** Whether a value is a {@link TenantId} for {@link parseTenantId}. */
export function isTenantId(value: unknown): value is TenantId {
  return isOpaqueId('tnt_', value);
}

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
export function parseSessionId(raw: string): SessionId {
  return pathId('SessionId', 'ses_', raw);
}

/** Whether a value is a {@link SessionId} for {@link parseSessionId}. */
export function isSessionId(value: unknown): value is SessionId {
  return isPathId('SessionId', 'ses_', value);
}

/**
 * The given text as the id of a sub-session: `sub_` and 1 to 124 characters of `A-Z a-z 0-9 _ -`.
 *
 * @throws InvalidIdError when it is none
 */
export function parseSubSessionId(raw: string): SubSessionId {
  return pathId('SubSessionId', 'sub_', raw);
}

/** Whether a value is a {@link SubSessionId} for {@link parseSubSessionId}. */
export function isSubSessionId(value: unknown): value is SubSessionId {
  return isPathId('SubSessionId', 'sub_', value);
}

/**
 * The given text as the id of a message: `msg_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseMessageId(raw: string): MessageId {
  return opaqueId('MessageId', 'msg_', raw);
}

/** Whether a value is a {@link MessageId} for {@link parseMessageId}. */
export function isMessageId(value: unknown): value is MessageId {
  return isOpaqueId('msg_', value);
}

/**
 * The given text as the id of a handoff assignment: `hof_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseHandoffId(raw: string): HandoffId {
  return opaqueId('HandoffId', 'hof_', raw);
}

/** Whether a value is a {@link HandoffId} for {@link parseHandoffId}. */
export function isHandoffId(value: unknown): value is HandoffId {
  return isOpaqueId('hof_', value);
}

/**
 * The given text as the id of a workspace: `wsp_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseWorkspaceId(raw: string): WorkspaceId {
  return opaqueId('WorkspaceId', 'wsp_', raw);
}

/** Whether a value is a {@link WorkspaceId} for {@link parseWorkspaceId}. */
export function isWorkspaceId(value: unknown): value is WorkspaceId {
  return isOpaqueId('wsp_', value);
}

/**
 * The given text as the id of a session summary: `sum_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseSummaryId(raw: string): SummaryId {
  return opaqueId('SummaryId', 'sum_', raw);
}

/** Whether a value is a {@link SummaryId} for {@link parseSummaryId}. */
export function isSummaryId(value: unknown): value is SummaryId {
  return isOpaqueId('sum_', value);
}

/**
 * The given text as the id of a deliverable: `del_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseDeliverableId(raw: string): DeliverableId {
  return opaqueId('DeliverableId', 'del_', raw);
}

/** Whether a value is a {@link DeliverableId} for {@link parseDeliverableId}. */
export function isDeliverableId(value: unknown): value is DeliverableId {
  return isOpaqueId('del_', value);
}

/**
 * The given text as the id of a task: `task_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseTaskId(raw: string): TaskId {
  return opaqueId('TaskId', 'task_', raw);
}

/** Whether a value is a {@link TaskId} for {@link parseTaskId}. */
export function isTaskId(value: unknown): value is TaskId {
  return isOpaqueId('task_', value);
}

/**
 * The given text as the id of an user: `usr_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseUserId(raw: string): UserId {
  return opaqueId('UserId', 'usr_', raw);
}

/** Whether a value is an {@link UserId} for {@link parseUserId}. */
export function isUserId(value: unknown): value is UserId {
  return isOpaqueId('usr_', value);
}

/**
 * The given text as the id of an agent: `agt_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseAgentId(raw: string): AgentId {
  return opaqueId('AgentId', 'agt_', raw);
}

/** Whether a value is an {@link AgentId} for {@link parseAgentId}. */
export function isAgentId(value: unknown): value is AgentId {
  return isOpaqueId('agt_', value);
}

/**
 * The given text as the id of a system role: `sys_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseSystemRoleId(raw: string): SystemRoleId {
  return opaqueId('SystemRoleId', 'sys_', raw);
}

/** Whether a value is a {@link SystemRoleId} for {@link parseSystemRoleId}. */
export function isSystemRoleId(value: unknown): value is SystemRoleId {
  return isOpaqueId('sys_', value);
}

/**
 * The given text as the id of an archived bundle: `arc_` and 1 to 124 characters of `A-Z a-z 0-9 _ -`.
 *
 * @throws InvalidIdError when it is none
 */
export function parseArchiveBackendRef(raw: string): ArchiveBackendRef {
  return pathId('ArchiveBackendRef', 'arc_', raw);
}

/** Whether a value is an {@link ArchiveBackendRef} for {@link parseArchiveBackendRef}. */
export function isArchiveBackendRef(value: unknown): value is ArchiveBackendRef {
  return isPathId('ArchiveBackendRef', 'arc_', value);
}

/**
 * The given text as the id of a shared memory store: `mms_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseMemoryStoreRef(raw: string): MemoryStoreRef {
  return opaqueId('MemoryStoreRef', 'mms_', raw);
}

/** Whether a value is a {@link MemoryStoreRef} for {@link parseMemoryStoreRef}. */
export function isMemoryStoreRef(value: unknown): value is MemoryStoreRef {
  return isOpaqueId('mms_', value);
}

/**
 * The given text as the id of a shared vault: `vlt_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseVaultRef(raw: string): VaultRef {
  return opaqueId('VaultRef', 'vlt_', raw);
}

/** Whether a value is a {@link VaultRef} for {@link parseVaultRef}. */
export function isVaultRef(value: unknown): value is VaultRef {
  return isOpaqueId('vlt_', value);
}

/**
 * The given text as the id of a shared knowledge base: `kbs_` and at least one more character.
 *
 * @throws InvalidIdError when it is none
 */
export function parseKnowledgeBaseRef(raw: string): KnowledgeBaseRef {
  return opaqueId('KnowledgeBaseRef', 'kbs_', raw);
}

/** Whether a value is a {@link KnowledgeBaseRef} for {@link parseKnowledgeBaseRef}. */
export function isKnowledgeBaseRef(value: unknown): value is KnowledgeBaseRef {
  return isOpaqueId('kbs_', value);
}

function startsWith(prefixes: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && prefixes.some((prefix) => value.startsWith(prefix));
}

function parsed<Id extends string>(kind: string, prefixes: readonly string[], raw: string): Id {
  if (startsWith(prefixes, raw)) return raw as Id;
  throw refused(kind, prefixes.map((prefix) => `the prefix \`${prefix}\``).join(' or '), raw);
}

function isOpaqueId(prefix: string, value: unknown): boolean {
  return startsWith([prefix], value) && value !== prefix;
}

function opaqueId<Id extends string>(kind: string, prefix: string, raw: string): Id {
  if (isOpaqueId(prefix, raw)) return raw as Id;
  throw refused(kind, `\`${prefix}\` and at least one more character`, raw);
}

/** Whether the core takes it: such an id becomes a component of a path. */
function isPathId(kind: string, prefix: string, value: unknown): boolean {
  if (!startsWith([prefix], value)) return false;
  try {
    native.checkPathId(kind, value as string);
    return true;
  } catch {
    return false;
  }
}

function pathId<Id extends string>(kind: string, prefix: string, raw: string): Id {
  if (isPathId(kind, prefix, raw)) return raw as Id;
  throw refused(kind, `\`${prefix}\` and 1 to 124 characters of A-Z a-z 0-9 _ -`, raw);
}

function refused(kind: string, expected: string, raw: unknown): InvalidIdError {
  return new InvalidIdError({ kind, value: textOf(raw), expected });
}

function textOf(raw: unknown): string {
  try {
    return String(raw);
  } catch {
    return typeof raw;
  }
}
