import type {
  ActorRef,
  AgentId,
  ArtifactBlobDeliverable,
  AssistantMessage,
  BaseMessage,
  CacheHint,
  CapacityDimension,
  CompletionMode,
  DeliverableKind,
  DeliverableRef,
  FailureMode,
  FileDeliverable,
  HandoffLockRejectedReason,
  Message,
  MessageDeliverable,
  MessageRole,
  RUN_EVENT_SCHEMA_VERSION,
  RunEventSchemaVersion,
  RunStatus,
  SessionStatus,
  SessionSummaryDeliverable,
  SessionSummaryOutcomeStatus,
  SubSessionKind,
  SubSessionStatus,
  SubsessionIdledEvent,
  SubsessionLifecycleEvent,
  SubsessionMessagedEvent,
  SubsessionSpawnedEvent,
  SystemMessage,
  SystemRoleId,
  ToolCall,
  ToolMessage,
  UserId,
  UserMessage,
} from 'namzu-native';
import type { Equal, Expect } from './assert.js';

export type Unions = [
  Expect<
    Equal<
      SessionStatus,
      'active' | 'idle' | 'locked' | 'awaiting_hitl' | 'awaiting_merge' | 'failed' | 'archived'
    >
  >,
  Expect<
    Equal<
      SubSessionStatus,
      | 'pending'
      | 'active'
      | 'idle'
      | 'failed'
      | 'awaiting_merge'
      | 'pending_merge'
      | 'merging'
      | 'merged'
      | 'merge_conflict'
      | 'merge_rejected'
      | 'archived'
    >
  >,
  Expect<Equal<SubSessionKind, 'agent_spawn' | 'user_handoff' | 'intervention'>>,
  Expect<Equal<FailureMode, 'fail_fast' | 'delegate'>>,
  Expect<Equal<CompletionMode, 'summary_ref' | 'merge_back'>>,
  Expect<
    Equal<
      RunStatus,
      | 'queued'
      | 'running'
      | 'awaiting_hitl'
      | 'awaiting_hitl_resolution'
      | 'awaiting_subsession'
      | 'succeeded'
      | 'failed'
      | 'cancelled'
    >
  >,
  Expect<Equal<MessageRole, 'system' | 'user' | 'assistant' | 'tool'>>,
  Expect<Equal<CacheHint, 'cache' | 'ephemeral' | 'none'>>,
  Expect<Equal<SessionSummaryOutcomeStatus, 'succeeded' | 'partial' | 'failed'>>,
  Expect<Equal<DeliverableKind, 'file' | 'session_summary' | 'message' | 'artifact_blob'>>,
  Expect<Equal<HandoffLockRejectedReason, 'active_run' | 'pending_hitl' | 'pending_subsession'>>,
  Expect<Equal<CapacityDimension, 'depth' | 'width'>>,
  Expect<Equal<RunEventSchemaVersion, 2>>,
  Expect<Equal<typeof RUN_EVENT_SCHEMA_VERSION, RunEventSchemaVersion>>,
  Expect<
    Equal<
      SubsessionLifecycleEvent,
      SubsessionSpawnedEvent | SubsessionMessagedEvent | SubsessionIdledEvent
    >
  >,
  Expect<Equal<Message extends BaseMessage ? true : false, true>>,
  Expect<Equal<Message, SystemMessage | UserMessage | AssistantMessage | ToolMessage>>,
  Expect<
    Equal<
      DeliverableRef,
      FileDeliverable | SessionSummaryDeliverable | MessageDeliverable | ArtifactBlobDeliverable
    >
  >,
];

export function messageNarrows(message: Message): string | ToolCall[] | undefined | null {
  switch (message.role) {
    case 'system':
    case 'user': {
      const content: string = message.content;
      return content;
    }
    case 'assistant': {
      const content: string | null = message.content;
      return message.toolCalls ?? content;
    }
    case 'tool': {
      const answer: { content: string; toolCallId: string } = message;
      return answer.toolCallId;
    }
    default: {
      const nothing: never = message;
      return nothing;
    }
  }
}

export function actorNarrows(actor: ActorRef): UserId | AgentId | SystemRoleId {
  switch (actor.kind) {
    case 'user':
      return actor.userId;
    case 'agent': {
      const parent: ActorRef | undefined = actor.parentActor;
      return parent ? actorNarrows(parent) : actor.agentId;
    }
    case 'system':
      return actor.role;
    default: {
      const nothing: never = actor;
      return nothing;
    }
  }
}

export function deliverableNarrows(ref: DeliverableRef): string | Date {
  switch (ref.kind) {
    case 'file':
      return `${ref.path}${ref.contentHash}${ref.sizeBytes.toFixed()}`;
    case 'session_summary':
      return ref.at;
    case 'message':
      return ref.messageId;
    case 'artifact_blob':
      return ref.mediaType ?? ref.storageRef;
    default: {
      const nothing: never = ref;
      return nothing;
    }
  }
}

export function eventNarrows(event: SubsessionLifecycleEvent): string | Date {
  const version: 2 = event.schemaVersion;
  switch (event.type) {
    case 'subsession_spawned':
      return event.spawnedBy.kind;
    case 'subsession_messaged':
      return event.messageId;
    case 'subsession_idled':
      return version === 2 ? event.at : event.lineage.rootSessionId;
    default: {
      const nothing: never = event;
      return nothing;
    }
  }
}

// @ts-expect-error a user message has a text
export const noContent: Message = { role: 'user', content: null };

// @ts-expect-error a tool message names its call
export const noCall: Message = { role: 'tool', content: 'x' };

// @ts-expect-error a user is not named by an agent's id
export const wrongActor: ActorRef = { kind: 'user', agentId: 'agt_x', tenantId: 'tnt_x' };
