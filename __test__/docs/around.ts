/** What the code in the documents takes for granted: its readers have these already. */

import type {
  ActorRef,
  ArchivalManager,
  AssistantMessage,
  ClosableSessionStore,
  Message,
  Project,
  Session,
  SessionId,
  SessionStore,
  SubSession,
  TenantId,
  ToolMessage,
  WorkspaceBackendRegistry,
} from 'namzu-native';

declare global {
  const store: ClosableSessionStore;
  const tenant: TenantId;
  const tenantId: TenantId;
  const project: Project;
  const session: Session;
  const subSession: SubSession;
  const id: SessionId;
  const childSessionId: SessionId;
  const archival: ArchivalManager;
  const reviewer: ActorRef;
  const registry: WorkspaceBackendRegistry;
  const repoRoot: string;
  const turn: number;
  const reply: AssistantMessage;
  const toolResults: readonly ToolMessage[];
  const call: AssistantMessage;
  const result: ToolMessage;
  const summaryOfTheStory: Message;
  const lastTurns: readonly Message[];
  function use(message: Message): void;
  function notFound(): void;
  function emptySchema(): string;
  const PostgresStore: new (schema: string) => SessionStore;
}
