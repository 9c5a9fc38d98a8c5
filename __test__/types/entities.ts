import type {
  ActorRef,
  ArchiveBackendRef,
  ArtifactBlobDeliverable,
  DeliverableRef,
  FileDeliverable,
  KnowledgeBaseRef,
  Lineage,
  MemoryStoreRef,
  Message,
  MessageDeliverable,
  Project,
  ProjectConfig,
  RetentionPolicy,
  Session,
  SessionId,
  SessionMessage,
  SessionStatus,
  SessionSummaryDeliverable,
  SessionSummaryKeyDecision,
  SessionSummaryOutcome,
  SessionSummaryRef,
  SessionView,
  SubSession,
  SummaryId,
  Tenant,
  TenantId,
  VaultRef,
  WorkspaceId,
} from 'namzu-native';
import type { Equal, Expect, OptionalKeys, ReadonlyKeys } from './assert.js';

/** Fields that an application may assign, as it could with the original. */
export type Mutable = [
  Expect<Equal<ReadonlyKeys<Tenant>, never>>,
  Expect<Equal<ReadonlyKeys<Project>, never>>,
  Expect<Equal<ReadonlyKeys<Session>, never>>,
  Expect<Equal<ReadonlyKeys<SubSession>, never>>,
  Expect<Equal<ReadonlyKeys<SessionView>, never>>,
  Expect<Equal<ReadonlyKeys<Lineage>, never>>,
];

export type Immutable = [
  Expect<Equal<ReadonlyKeys<SessionMessage>, keyof SessionMessage>>,
  Expect<Equal<ReadonlyKeys<SessionSummaryRef>, keyof SessionSummaryRef>>,
  Expect<Equal<ReadonlyKeys<SessionSummaryOutcome>, keyof SessionSummaryOutcome>>,
  Expect<Equal<ReadonlyKeys<SessionSummaryKeyDecision>, keyof SessionSummaryKeyDecision>>,
  Expect<Equal<ReadonlyKeys<FileDeliverable>, keyof FileDeliverable>>,
  Expect<Equal<ReadonlyKeys<SessionSummaryDeliverable>, keyof SessionSummaryDeliverable>>,
  Expect<Equal<ReadonlyKeys<MessageDeliverable>, keyof MessageDeliverable>>,
  Expect<Equal<ReadonlyKeys<ArtifactBlobDeliverable>, keyof ArtifactBlobDeliverable>>,
  Expect<Equal<ReadonlyKeys<RetentionPolicy>, keyof RetentionPolicy>>,
];

export type Keys = [
  Expect<Equal<keyof Tenant, 'id' | 'createdAt'>>,
  Expect<Equal<keyof Project, 'id' | 'tenantId' | 'name' | 'config' | 'createdAt' | 'updatedAt'>>,
  Expect<
    Equal<
      keyof Session,
      | 'id'
      | 'projectId'
      | 'tenantId'
      | 'status'
      | 'currentActor'
      | 'previousActors'
      | 'workspaceId'
      | 'ownerVersion'
      | 'createdAt'
      | 'updatedAt'
    >
  >,
  Expect<
    Equal<
      keyof SubSession,
      | 'id'
      | 'parentSessionId'
      | 'childSessionId'
      | 'kind'
      | 'status'
      | 'spawnedBy'
      | 'spawnedAt'
      | 'failureMode'
      | 'completionMode'
      | 'workspaceId'
      | 'prevArtifactRef'
      | 'broadcastGroupId'
      | 'summaryRef'
      | 'archiveRef'
      | 'archivedAt'
      | 'updatedAt'
    >
  >,
  Expect<Equal<keyof SessionView, 'session' | 'children' | 'ancestry'>>,
  Expect<Equal<keyof Lineage, 'parentSessionId' | 'rootSessionId' | 'depth'>>,
  Expect<Equal<keyof SessionMessage, 'id' | 'sessionId' | 'tenantId' | 'message' | 'at'>>,
];

export type Optional = [
  Expect<Equal<OptionalKeys<Session>, never>>,
  Expect<
    Equal<
      OptionalKeys<SubSession>,
      'prevArtifactRef' | 'broadcastGroupId' | 'summaryRef' | 'archiveRef' | 'archivedAt'
    >
  >,
  Expect<
    Equal<
      OptionalKeys<ProjectConfig>,
      | 'sharedMemoryStores'
      | 'sharedVaults'
      | 'sharedKnowledgeBases'
      | 'sharedDeliverables'
      | 'retentionPolicy'
    >
  >,
  Expect<Equal<OptionalKeys<SessionSummaryOutcome>, 'verdict'>>,
  Expect<Equal<OptionalKeys<ArtifactBlobDeliverable>, 'mediaType'>>,
  Expect<Equal<OptionalKeys<RetentionPolicy>, keyof RetentionPolicy>>,
];

export type Fields = [
  Expect<Equal<Session['status'], SessionStatus>>,
  Expect<Equal<Session['currentActor'], ActorRef | null>>,
  Expect<Equal<Session['previousActors'], readonly ActorRef[]>>,
  Expect<Equal<Session['workspaceId'], WorkspaceId | null>>,
  Expect<Equal<Session['createdAt'], Date>>,
  Expect<Equal<SubSession['spawnedAt'], Date>>,
  Expect<Equal<NonNullable<SubSession['archivedAt']>, Date>>,
  Expect<Equal<NonNullable<SubSession['archiveRef']>, ArchiveBackendRef>>,
  Expect<Equal<NonNullable<SubSession['summaryRef']>, SummaryId>>,
  Expect<Equal<NonNullable<SubSession['prevArtifactRef']>, DeliverableRef>>,
  Expect<Equal<SessionView['children'], readonly SubSession[]>>,
  Expect<Equal<SessionView['ancestry'], readonly SessionId[]>>,
  Expect<Equal<SessionMessage['message'], Message>>,
  Expect<Equal<SessionSummaryRef['deliverables'], readonly DeliverableRef[]>>,
  Expect<Equal<SessionSummaryRef['materializedBy'], 'kernel'>>,
  Expect<Equal<NonNullable<ProjectConfig['sharedMemoryStores']>, readonly MemoryStoreRef[]>>,
  Expect<Equal<NonNullable<ProjectConfig['sharedVaults']>, readonly VaultRef[]>>,
  Expect<Equal<NonNullable<ProjectConfig['sharedKnowledgeBases']>, readonly KnowledgeBaseRef[]>>,
];

export function assignAsBefore(session: Session, edge: SubSession, project: Project): void {
  session.status = 'locked';
  session.ownerVersion += 1;
  session.currentActor = null;
  edge.status = 'merged';
  edge.archivedAt = new Date();
  delete edge.archiveRef;
  project.name = 'renamed';
}

export function refuseToAssign(
  session: Session,
  envelope: SessionMessage,
  summary: SessionSummaryRef,
): void {
  session.previousActors = [];
  // @ts-expect-error the list of previous actors is not changed in place
  session.previousActors.push({ kind: 'user', userId: 'usr_x', tenantId: 'tnt_x' });
  // @ts-expect-error a stored envelope is what was stored
  envelope.at = new Date();
  // @ts-expect-error a summary is what was recorded
  summary.agentSummary = 'better';
}

export const tenant: Tenant = { id: 'tnt_x' satisfies TenantId, createdAt: new Date() };
