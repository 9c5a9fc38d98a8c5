import type {
  ActorRef,
  CompletionMode,
  CreateProjectParams,
  CreateSessionParams,
  CreateSubSessionParams,
  DiskSessionStoreConfig,
  FailureMode,
  FileUrl,
  LinkageView,
  Message,
  MessageId,
  Project,
  ProjectId,
  Session,
  SessionId,
  SessionMessage,
  SessionStore,
  SessionSummaryRef,
  SessionView,
  SubSession,
  SubSessionId,
  SubSessionKind,
  TenantId,
} from 'namzu-native';
import { DiskSessionStore, InMemorySessionStore } from 'namzu-native';
import type { Equal, Expect } from './assert.js';

/** The contract's interface, written from its table: a stand-in for the original's type. */
interface ContractStore {
  createProject(params: { tenantId: TenantId; name: string }, tenant: TenantId): Promise<Project>;
  getProject(id: ProjectId, tenant: TenantId): Promise<Project | null>;
  createSession(
    params: { projectId: ProjectId; currentActor: ActorRef | null },
    tenant: TenantId,
  ): Promise<Session>;
  getSession(id: SessionId, tenant: TenantId): Promise<Session | null>;
  updateSession(session: Session, tenant: TenantId): Promise<void>;
  deleteSession(id: SessionId, tenant: TenantId): Promise<void>;
  createSubSession(
    params: {
      parentSessionId: SessionId;
      childSessionId: SessionId;
      kind: SubSessionKind;
      spawnedBy: ActorRef;
      failureMode?: FailureMode;
      completionMode?: CompletionMode;
    },
    tenant: TenantId,
  ): Promise<SubSession>;
  getSubSession(id: SubSessionId, tenant: TenantId): Promise<SubSession | null>;
  updateSubSession(sub: SubSession, tenant: TenantId): Promise<void>;
  deleteSubSession(id: SubSessionId, tenant: TenantId): Promise<void>;
  appendMessage(sessionId: SessionId, message: Message, tenant: TenantId): Promise<MessageId>;
  loadMessages(sessionId: SessionId, tenant: TenantId): Promise<readonly Message[]>;
  loadSessionMessages(sessionId: SessionId, tenant: TenantId): Promise<readonly SessionMessage[]>;
  getChildren(sessionId: SessionId, tenant: TenantId): Promise<readonly SubSession[]>;
  getAncestry(sessionId: SessionId, tenant: TenantId): Promise<readonly SessionId[]>;
  drill(sessionId: SessionId, tenant: TenantId): Promise<SessionView | null>;
  recordSummary(summary: SessionSummaryRef, tenant: TenantId): Promise<void>;
  getSummary(sessionId: SessionId, tenant: TenantId): Promise<SessionSummaryRef | null>;
}

/** As above, with the third argument of `updateSession` that this package adds. */
interface ContractStoreWithVersion extends ContractStore {
  updateSession(session: Session, tenant: TenantId, expectedOwnerVersion?: number): Promise<void>;
}

export type Shape = [
  Expect<Equal<keyof SessionStore, keyof ContractStore>>,
  Expect<Equal<CreateProjectParams, { tenantId: TenantId; name: string }>>,
  Expect<Equal<CreateSessionParams, { projectId: ProjectId; currentActor: ActorRef | null }>>,
  Expect<Equal<CreateSubSessionParams, Parameters<ContractStore['createSubSession']>[0]>>,
  Expect<Equal<Parameters<SessionStore['updateSession']>[2], number | undefined>>,
  Expect<Equal<DiskSessionStoreConfig['rootDir'], string | FileUrl>>,
];

declare const ours: SessionStore;
declare const theirs: ContractStore;
declare const theirsWithVersion: ContractStoreWithVersion;

export const toTheirs: ContractStore = ours;
export const toTheirsWithVersion: ContractStoreWithVersion = ours;
export const toOurs: SessionStore = theirs;
export const toOursWithVersion: SessionStore = theirsWithVersion;

export const disk: DiskSessionStore = new DiskSessionStore({ rootDir: './data' });
export const memory: InMemorySessionStore = new InMemorySessionStore();
export const diskAsTheirs: ContractStore = disk;
export const memoryAsTheirs: ContractStore = memory;
export const stores: SessionStore[] = [disk, memory];

/** A store of an application's own that leaves out arguments it does not need. */
export class HandWrittenStore implements Pick<SessionStore, 'getSession' | 'updateSession'> {
  async getSession(_id: SessionId): Promise<Session | null> {
    return null;
  }

  async updateSession(_session: Session): Promise<void> {}
}

export class Subclass extends DiskSessionStore {
  override async getSession(id: SessionId, tenantId: TenantId): Promise<Session | null> {
    return super.getSession(id, tenantId);
  }
}

export const view: LinkageView = {
  findChildSubSessions: () => [] as readonly SubSession[],
  findParentSubSession: () => null,
};

export function refusals(store: SessionStore, session: Session): void {
  // @ts-expect-error the tenant is required
  store.getSession(session.id);
  // @ts-expect-error a project is not a session
  store.getSession(session.projectId, session.tenantId);
  // @ts-expect-error a session is not a tenant
  store.getSession(session.id, session.id);
  // @ts-expect-error a text is no message
  store.appendMessage(session.id, 'hello', session.tenantId);
  // @ts-expect-error a disk store needs a root
  new DiskSessionStore({});
}

/** Literals that are `as const`, and objects that are read-only, are accepted. */
export async function acceptsReadonly(store: SessionStore, tenant: TenantId): Promise<void> {
  const message = { role: 'user', content: 'x' } as const;
  const params: Readonly<CreateProjectParams> = { tenantId: tenant, name: 'x' };
  const project = await store.createProject(params, tenant);
  const session = await store.createSession(
    { projectId: project.id, currentActor: null } as const,
    tenant,
  );
  await store.appendMessage(session.id, message, tenant);
  const summary: SessionSummaryRef | null = await store.getSummary(session.id, tenant);
  if (summary) await store.recordSummary(summary, tenant);
}
