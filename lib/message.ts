/** Messages: what is said in a session. A store keeps them and never interprets them. */

import type { MessageId, SessionId, TenantId } from './ids';

/** Who speaks in a message. */
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/** How a model provider may cache the prompt up to and including a message. */
export type CacheHint = 'cache' | 'ephemeral' | 'none';

/** A call of a tool that an assistant asks for. */
export interface ToolCall {
  /** Names the call; the answering {@link ToolMessage} repeats it. */
  id: string;
  type: 'function';
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
  role: 'system';
  content: string;
}

/** What a user said. */
export interface UserMessage extends BaseMessage {
  role: 'user';
  content: string;
}

/** What the model answered: text, tool calls, or both. */
export interface AssistantMessage extends BaseMessage {
  role: 'assistant';
  content: string | null;
  toolCalls?: ToolCall[];
}

/** What a tool answered to one call. */
export interface ToolMessage extends BaseMessage {
  role: 'tool';
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
export function createSystemMessage(content: string, cacheHint?: CacheHint): SystemMessage {
  const message: SystemMessage = { role: 'system', content, timestamp: Date.now() };
  if (cacheHint !== undefined) message.cacheHint = cacheHint;
  return message;
}

/** A user message, stamped with the current time. */
export function createUserMessage(content: string): UserMessage {
  return { role: 'user', content, timestamp: Date.now() };
}

/**
 * An assistant message, stamped with the current time. `content` is `null` when
 * the model only called tools. The key `toolCalls` is always set, if only to
 * `undefined`.
 */
export function createAssistantMessage(
  content: string | null,
  toolCalls?: ToolCall[],
): AssistantMessage {
  return { role: 'assistant', content, toolCalls, timestamp: Date.now() };
}

/** A tool's answer to the call `toolCallId`, stamped with the current time. */
export function createToolMessage(content: string, toolCallId: string): ToolMessage {
  return { role: 'tool', content, toolCallId, timestamp: Date.now() };
}
