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
  ThreadIdDeprecated,
  UserId,
  VaultRef,
  WorkspaceId,
} from 'namzu-native';
import {
  type generateDeliverableId,
  type generateHandoffId,
  type generateMessageId,
  generateProjectId,
  type generateRunId,
  type generateSessionId,
  type generateSubSessionId,
  type generateSummaryId,
  type generateTaskId,
  type generateTenantId,
  generateThreadId,
  type generateWorkspaceId,
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
  UNKNOWN_TENANT_ID,
} from 'namzu-native';
import type { Equal, Expect } from './assert.js';

export type IdsAreTemplates = [
  Expect<Equal<TenantId, `tnt_${string}`>>,
  Expect<Equal<ProjectId, `prj_${string}`>>,
  Expect<Equal<SessionId, `ses_${string}`>>,
  Expect<Equal<SubSessionId, `sub_${string}`>>,
  Expect<Equal<MessageId, `msg_${string}`>>,
  Expect<Equal<HandoffId, `hof_${string}`>>,
  Expect<Equal<WorkspaceId, `wsp_${string}`>>,
  Expect<Equal<SummaryId, `sum_${string}`>>,
  Expect<Equal<DeliverableId, `del_${string}`>>,
  Expect<Equal<RunId, `run_${string}`>>,
  Expect<Equal<TaskId, `task_${string}`>>,
  Expect<Equal<UserId, `usr_${string}`>>,
  Expect<Equal<AgentId, `agt_${string}`>>,
  Expect<Equal<SystemRoleId, `sys_${string}`>>,
  Expect<Equal<ArchiveBackendRef, `arc_${string}`>>,
  Expect<Equal<MemoryStoreRef, `mms_${string}`>>,
  Expect<Equal<VaultRef, `vlt_${string}`>>,
  Expect<Equal<KnowledgeBaseRef, `kbs_${string}`>>,
  Expect<Equal<ThreadId, ProjectId>>,
  Expect<Equal<ThreadIdDeprecated, ProjectId>>,
];

interface Ids {
  tenant: TenantId;
  project: ProjectId;
  session: SessionId;
  subSession: SubSessionId;
  message: MessageId;
  handoff: HandoffId;
  workspace: WorkspaceId;
  summary: SummaryId;
  deliverable: DeliverableId;
  run: RunId;
  task: TaskId;
  user: UserId;
  agent: AgentId;
  systemRole: SystemRoleId;
  archive: ArchiveBackendRef;
  memoryStore: MemoryStoreRef;
  vault: VaultRef;
  knowledgeBase: KnowledgeBaseRef;
}

/** Every pair of kinds of which the one could be taken for the other. */
type Mistakable = {
  [A in keyof Ids]: {
    [B in keyof Ids]: A extends B ? never : Ids[A] extends Ids[B] ? [A, B] : never;
  }[keyof Ids];
}[keyof Ids];

export type IdsRefuseOneAnother = Expect<Equal<Mistakable, never>>;

export type FunctionsAnswerTheirKind = [
  Expect<Equal<ReturnType<typeof generateTenantId>, TenantId>>,
  Expect<Equal<ReturnType<typeof generateSubSessionId>, SubSessionId>>,
  Expect<Equal<ReturnType<typeof generateMessageId>, MessageId>>,
  Expect<Equal<ReturnType<typeof generateHandoffId>, HandoffId>>,
  Expect<Equal<ReturnType<typeof generateWorkspaceId>, WorkspaceId>>,
  Expect<Equal<ReturnType<typeof generateSummaryId>, SummaryId>>,
  Expect<Equal<ReturnType<typeof generateDeliverableId>, DeliverableId>>,
  Expect<Equal<ReturnType<typeof generateRunId>, RunId>>,
  Expect<Equal<ReturnType<typeof generateTaskId>, TaskId>>,
  Expect<Equal<ReturnType<typeof generateSessionId>, SessionId>>,
  Expect<Equal<ReturnType<typeof generateProjectId>, ProjectId>>,
  Expect<Equal<ReturnType<typeof generateThreadId>, ThreadId>>,
  Expect<Equal<ReturnType<typeof parseProjectId>, ProjectId>>,
  Expect<Equal<ReturnType<typeof parseThreadId>, ThreadId>>,
  Expect<Equal<ReturnType<typeof parseRunId>, RunId>>,
];

export const literal: SessionId = 'ses_literal';
export const unknownTenant: TenantId = UNKNOWN_TENANT_ID;
export const generated: ProjectId = generateThreadId();

// @ts-expect-error an id of one kind is not another
export const wrongKind: SessionId = generateProjectId();

// @ts-expect-error a sub-session is not a session
export const edgeForSession: SessionId = 'sub_x' as SubSessionId;

// @ts-expect-error a text is no id
export const anyText: SessionId = 'ses_x' as string;

// @ts-expect-error another prefix
export const wrongPrefix: TenantId = 'tenant_x';

/** Each guard narrows to the id that its parser returns. */
export function narrowed(raw: string): void {
  if (isTenantId(raw)) expect<TenantId>(raw, parseTenantId(raw));
  if (isProjectId(raw)) expect<ProjectId>(raw, parseProjectId(raw));
  if (isSessionId(raw)) expect<SessionId>(raw, parseSessionId(raw));
  if (isSubSessionId(raw)) expect<SubSessionId>(raw, parseSubSessionId(raw));
  if (isMessageId(raw)) expect<MessageId>(raw, parseMessageId(raw));
  if (isHandoffId(raw)) expect<HandoffId>(raw, parseHandoffId(raw));
  if (isWorkspaceId(raw)) expect<WorkspaceId>(raw, parseWorkspaceId(raw));
  if (isSummaryId(raw)) expect<SummaryId>(raw, parseSummaryId(raw));
  if (isDeliverableId(raw)) expect<DeliverableId>(raw, parseDeliverableId(raw));
  if (isRunId(raw)) expect<RunId>(raw, parseRunId(raw));
  if (isTaskId(raw)) expect<TaskId>(raw, parseTaskId(raw));
  if (isUserId(raw)) expect<UserId>(raw, parseUserId(raw));
  if (isAgentId(raw)) expect<AgentId>(raw, parseAgentId(raw));
  if (isSystemRoleId(raw)) expect<SystemRoleId>(raw, parseSystemRoleId(raw));
  if (isArchiveBackendRef(raw)) expect<ArchiveBackendRef>(raw, parseArchiveBackendRef(raw));
  if (isMemoryStoreRef(raw)) expect<MemoryStoreRef>(raw, parseMemoryStoreRef(raw));
  if (isVaultRef(raw)) expect<VaultRef>(raw, parseVaultRef(raw));
  if (isKnowledgeBaseRef(raw)) expect<KnowledgeBaseRef>(raw, parseKnowledgeBaseRef(raw));
  expect<ThreadId>(parseThreadId(raw));
}

function expect<Id extends string>(..._ids: Id[]): void {}
