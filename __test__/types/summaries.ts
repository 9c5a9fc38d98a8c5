import type {
  DeliverableRef,
  InterventionChainLoader,
  MaterializeInput,
  PrevArtifactNode,
  SessionId,
  SessionStore,
  SessionSummaryMaterializerDeps,
  SessionSummaryRef,
  SubSessionId,
  SummaryId,
  TenantId,
} from 'namzu-native';
import {
  type AGENT_SUMMARY_MAX_CHARS,
  generateSummaryId,
  SessionSummaryMaterializer,
  validatePrevArtifactChain,
} from 'namzu-native';
import type { Equal, Expect, OptionalKeys, ReadonlyKeys } from './assert.js';

export type Shapes = [
  Expect<Equal<ReadonlyKeys<SessionSummaryMaterializerDeps>, keyof SessionSummaryMaterializerDeps>>,
  Expect<Equal<OptionalKeys<SessionSummaryMaterializerDeps>, 'now'>>,
  Expect<
    Equal<
      keyof MaterializeInput,
      | 'sessionId'
      | 'tenantId'
      | 'finalOutcome'
      | 'agentSummary'
      | 'declaredDeliverables'
      | 'keyDecisions'
    >
  >,
  Expect<Equal<ReadonlyKeys<MaterializeInput>, keyof MaterializeInput>>,
  Expect<Equal<OptionalKeys<MaterializeInput>, never>>,
  Expect<Equal<ReadonlyKeys<PrevArtifactNode>, keyof PrevArtifactNode>>,
  Expect<Equal<OptionalKeys<PrevArtifactNode>, 'prevArtifactRef'>>,
  Expect<
    Equal<ReturnType<InterventionChainLoader['loadAncestor']>, Promise<PrevArtifactNode | null>>
  >,
  Expect<Equal<ReturnType<typeof validatePrevArtifactChain>, Promise<readonly SubSessionId[]>>>,
  Expect<Equal<ReturnType<SessionSummaryMaterializer['materialize']>, Promise<SessionSummaryRef>>>,
  Expect<
    Equal<ReturnType<SessionSummaryMaterializer['recover']>, Promise<SessionSummaryRef | null>>
  >,
];

export const limit: number = 0 as unknown as typeof AGENT_SUMMARY_MAX_CHARS;

declare const store: SessionStore;
declare const loader: { loadAncestor(id: SessionId): Promise<PrevArtifactNode | null> };

export const materializer = new SessionSummaryMaterializer({ store, generateSummaryId });

/** Read-only inputs are accepted, however deep. */
export function acceptsReadonly(input: Readonly<MaterializeInput>): Promise<SessionSummaryRef> {
  return materializer.materialize({
    ...input,
    declaredDeliverables: [{ kind: 'file', id: 'del_x', path: '', contentHash: '', sizeBytes: 0 }],
    keyDecisions: [{ at: new Date(), summary: 'x' }] as const,
  } as const);
}

export function refusals(ref: DeliverableRef, tenant: TenantId, summary: SummaryId): void {
  // @ts-expect-error a summary is no session
  materializer.recover(summary, tenant);
  // @ts-expect-error the proposed child is a sub-session
  validatePrevArtifactChain(loader, 'ses_x', ref, 3);
  // @ts-expect-error an id that is no summary's
  new SessionSummaryMaterializer({ store, generateSummaryId: () => 'ses_x' as SessionId });
}
