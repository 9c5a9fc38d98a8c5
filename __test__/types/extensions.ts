import type {
  AbortSignalLike,
  AdoptionProgress,
  AppendOptions,
  ClosableSessionStore,
  CreateConfiguredProjectParams,
  DamagedRecord,
  Durability,
  ExtendedSessionStore,
  FileUrl,
  IdempotencyConflictError,
  ListSessionsOptions,
  LogTooLargeError,
  Message,
  MessageId,
  MessageRange,
  Page,
  PageOptions,
  Project,
  ProjectConfig,
  ProjectConfigPatch,
  Session,
  SessionEvictedError,
  SessionId,
  SessionMessage,
  SessionStatus,
  SessionStore,
  StoreClosedError,
  SubSession,
  TenantId,
  VerifyFinding,
  VerifyFindingKind,
  VerifySeverity,
} from 'namzu-native';
import {
  createAssistantMessage,
  createSystemMessage,
  createToolMessage,
  createUserMessage,
  DiskSessionStore,
  type deriveStatus,
  type getAncestry,
  type getChildren,
  InMemorySessionStore,
  type orderChildren,
  type verify,
} from 'namzu-native';
import type { Equal, Expect, OptionalKeys, ReadonlyKeys } from './assert.js';

export const closable: ClosableSessionStore[] = [
  new DiskSessionStore({ rootDir: new URL('file:///data') satisfies FileUrl }),
  new InMemorySessionStore(),
];

export type Shapes = [
  Expect<Equal<VerifyFinding['severity'], VerifySeverity>>,
  Expect<Equal<VerifySeverity, 'error' | 'warning' | 'info'>>,
  Expect<Equal<Durability, 'full' | 'relaxed'>>,
  Expect<Equal<keyof AdoptionProgress, 'done' | 'total' | 'phase'>>,
  Expect<Equal<OptionalKeys<AppendOptions>, 'idempotencyKey'>>,
  Expect<Equal<OptionalKeys<MessageRange>, 'limit' | 'before' | 'after'>>,
  Expect<Equal<NonNullable<MessageRange['before']>, MessageId>>,
  Expect<Equal<OptionalKeys<PageOptions>, 'limit' | 'cursor'>>,
  Expect<Equal<OptionalKeys<ListSessionsOptions>, 'limit' | 'cursor' | 'status'>>,
  Expect<Equal<NonNullable<ListSessionsOptions['status']>, SessionStatus>>,
  Expect<Equal<ReadonlyKeys<Page<Project>>, 'items' | 'nextCursor' | 'damaged'>>,
  Expect<Equal<OptionalKeys<Page<Project>>, 'nextCursor' | 'damaged'>>,
  Expect<Equal<NonNullable<CreateConfiguredProjectParams['config']>, Partial<ProjectConfig>>>,
  Expect<Equal<keyof IdempotencyConflictError['details'], 'sessionId' | 'key' | 'fields'>>,
  Expect<Equal<OptionalKeys<IdempotencyConflictError['details']>, 'fields'>>,
  Expect<Equal<LogTooLargeError['details']['sessionId'], SessionId>>,
  Expect<Equal<SessionEvictedError['details']['sessionId'], SessionId>>,
  Expect<Equal<StoreClosedError extends Error ? true : false, true>>,
];

export type Answers = [
  Expect<Equal<ReturnType<typeof verify>, Promise<readonly VerifyFinding[]>>>,
  Expect<Equal<VerifyFinding['kind'], VerifyFindingKind>>,
  Expect<Equal<OptionalKeys<VerifyFinding>, 'line'>>,
  Expect<Equal<ReadonlyKeys<VerifyFinding>, keyof VerifyFinding>>,
  Expect<Equal<ReturnType<ExtendedSessionStore['listProjects']>, Promise<Page<Project>>>>,
  Expect<Equal<ReturnType<ExtendedSessionStore['listSessionsByProject']>, Promise<Page<Session>>>>,
  Expect<Equal<ReturnType<ExtendedSessionStore['updateProject']>, Promise<Project | null>>>,
  Expect<Equal<ReturnType<ExtendedSessionStore['appendMessages']>, Promise<readonly MessageId[]>>>,
  Expect<Equal<ReturnType<ExtendedSessionStore['replaceMessages']>, Promise<void>>>,
  Expect<Equal<ReturnType<ExtendedSessionStore['countMessages']>, Promise<number>>>,
  Expect<
    Equal<ReturnType<ExtendedSessionStore['streamMessages']>, AsyncIterableIterator<SessionMessage>>
  >,
  Expect<Equal<ReturnType<DiskSessionStore['close']>, Promise<void>>>,
  Expect<Equal<ReturnType<typeof deriveStatus>, SessionStatus>>,
  Expect<Equal<ReturnType<typeof getAncestry>, readonly SessionId[]>>,
  Expect<Equal<ReturnType<typeof getChildren>, readonly SubSession[]>>,
  Expect<Equal<ReturnType<typeof orderChildren>, SubSession[]>>,
];

export const messages: Message[] = [
  createSystemMessage('x', 'cache'),
  createUserMessage('x'),
  createAssistantMessage(null, []),
  createToolMessage('x', 'call_1'),
];

/** Both stores do more than the contract asks for, and are accepted where it is all there is. */
export const extended: ExtendedSessionStore[] = [
  new InMemorySessionStore(),
  new DiskSessionStore({ rootDir: '.', durability: 'relaxed', onProgress: ({ done }) => done }),
];
export const plain: SessionStore[] = extended;

/** What is found narrows to a kind. */
export function findingNarrows({ kind, line }: VerifyFinding): number | undefined {
  // @ts-expect-error no such kind
  if (kind === 'fine') return 0;
  return kind === 'broken_line' ? line : undefined;
}

export async function refusals(store: ExtendedSessionStore, tenant: TenantId): Promise<void> {
  const page = await store.listProjects(tenant);
  // @ts-expect-error a page is what was answered
  page.items.push();
  // @ts-expect-error a session does not name a message
  await store.loadMessages('ses_x', tenant, { before: 'ses_y' });
  // @ts-expect-error no such durability
  new DiskSessionStore({ rootDir: '.', durability: 'none' });
  // @ts-expect-error a plain store cannot list
  const _store: ExtendedSessionStore = store as SessionStore;
  for await (const { message } of store.streamMessages('ses_x', tenant)) {
    const role: 'system' | 'user' | 'assistant' | 'tool' = message.role;
    if (role === 'tool') break;
  }
}

/** Any signal will do, whoever declares it. */
export const stop: AbortSignalLike = new AbortController().signal;

/** A part of a configuration, in which `undefined` says nothing. */
export const patch: ProjectConfigPatch = { maxDelegationDepth: 2, sharedVaults: undefined };

/** What a page names that cannot be read. */
export type Damaged = Expect<Equal<keyof DamagedRecord, 'id' | 'path' | 'reason'>>;
