import type {
  ActorRef,
  BlockingRun,
  BroadcastHandoffDeps,
  CapacityValidator,
  HandoffAssignment,
  HandoffBroadcastRollbackEvent,
  HandoffCommittedEvent,
  HandoffEventSink,
  HandoffId,
  HandoffLockedEvent,
  HandoffLockRejectedReason,
  HandoffMode,
  HandoffOutcome,
  HandoffRecoveryDeps,
  HandoffUnlockedEvent,
  ProjectId,
  RecoveredHandoff,
  RunStatusResolver,
  SessionId,
  SessionStore,
  SingleHandoffDeps,
  TenantId,
  WorkspaceBackendDriver,
  WorkspaceId,
} from 'namzu-native';
import {
  DefaultCapacityValidator,
  executeBroadcastHandoff,
  executeSingleHandoff,
  InMemorySessionStore,
  NOOP_HANDOFF_SINK,
  NOOP_RUN_STATUS_RESOLVER,
  type recoverHandoffs,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import type { Equal, Expect, OptionalKeys, ReadonlyKeys } from './assert.js';

/** The contract's own shapes, written from its tables. */
interface ContractAssignment {
  id: HandoffId;
  mode: 'single' | 'broadcast';
  sourceSessionId: SessionId;
  tenantId: TenantId;
  projectId: ProjectId;
  sourceActor: ActorRef;
  recipientActor: ActorRef;
  expectedOwnerVersion: number;
  createdAt: Date;
  broadcastId?: string;
}
interface ContractOutcome {
  assignmentId: HandoffId;
  newSessionId: SessionId;
  workspaceId: WorkspaceId;
  committedOwnerVersion: number;
}
interface ContractCapacity {
  validateDepth(parent: SessionId, maximum: number, tenant: TenantId): Promise<void>;
  validateWidth(
    parent: SessionId,
    pending: number,
    maximum: number,
    tenant: TenantId,
  ): Promise<void>;
}
interface ContractSink {
  onLocked?(event: { sessionId: SessionId; at: Date }): void;
  onUnlocked?(event: { sessionId: SessionId; at: Date }): void;
  onCommitted?(event: {
    sessionId: SessionId;
    newVersion: number;
    handoffIds: readonly HandoffId[];
    at: Date;
  }): void;
  onBroadcastRollback?(event: {
    sessionId: SessionId;
    broadcastId: string;
    reason: string;
    partialState: {
      assignmentsWritten: number;
      subsessionsCreated: number;
      worktreesProvisioned: number;
    };
    at: Date;
  }): void;
}

export type Shapes = [
  Expect<Equal<HandoffMode, 'single' | 'broadcast'>>,
  Expect<
    Equal<
      Pick<HandoffAssignment, keyof HandoffAssignment>,
      Pick<ContractAssignment, keyof ContractAssignment>
    >
  >,
  Expect<
    Equal<Pick<HandoffOutcome, keyof HandoffOutcome>, Pick<ContractOutcome, keyof ContractOutcome>>
  >,
  Expect<Equal<ReadonlyKeys<HandoffAssignment>, never>>,
  Expect<Equal<ReadonlyKeys<HandoffOutcome>, never>>,
  Expect<Equal<OptionalKeys<HandoffAssignment>, 'broadcastId'>>,
  Expect<Equal<OptionalKeys<SingleHandoffDeps>, 'runStatus'>>,
  Expect<Equal<keyof BroadcastHandoffDeps, keyof SingleHandoffDeps>>,
  Expect<Equal<keyof HandoffRecoveryDeps, 'store' | 'workspaceRegistry' | 'events'>>,
  Expect<Equal<OptionalKeys<HandoffEventSink>, keyof HandoffEventSink>>,
  Expect<Equal<keyof HandoffLockedEvent, 'sessionId' | 'at'>>,
  Expect<Equal<keyof HandoffUnlockedEvent, 'sessionId' | 'at'>>,
  Expect<Equal<keyof HandoffCommittedEvent, 'sessionId' | 'newVersion' | 'handoffIds' | 'at'>>,
  Expect<
    Equal<
      keyof HandoffBroadcastRollbackEvent['partialState'],
      'assignmentsWritten' | 'subsessionsCreated' | 'worktreesProvisioned'
    >
  >,
  Expect<Equal<BlockingRun['reason'], HandoffLockRejectedReason>>,
  Expect<Equal<ReadonlyKeys<RecoveredHandoff>, 'sourceSessionId' | 'mode' | 'handoffIds'>>,
];

export type Answers = [
  Expect<Equal<ReturnType<typeof executeSingleHandoff>, Promise<HandoffOutcome>>>,
  Expect<Equal<ReturnType<typeof executeBroadcastHandoff>, Promise<readonly HandoffOutcome[]>>>,
  Expect<Equal<ReturnType<typeof recoverHandoffs>, Promise<readonly RecoveredHandoff[]>>>,
  Expect<Equal<typeof NOOP_HANDOFF_SINK, HandoffEventSink>>,
  Expect<Equal<typeof NOOP_RUN_STATUS_RESOLVER, RunStatusResolver>>,
];

declare const theirs: {
  store: SessionStore;
  capacity: ContractCapacity;
  events: ContractSink;
  runStatus: {
    blockingRun(
      session: SessionId,
      tenant: TenantId,
    ): Promise<{ reason: HandoffLockRejectedReason } | null>;
  };
  driver: WorkspaceBackendDriver;
};

/** What the original would take is what we take, and the other way round. */
export const capacityToTheirs: ContractCapacity = new DefaultCapacityValidator(theirs.store);
export const capacityToOurs: CapacityValidator = theirs.capacity;
export const sinkToTheirs: ContractSink = NOOP_HANDOFF_SINK;
export const sinkToOurs: HandoffEventSink = theirs.events;

/** Dependencies are structural: any object of the shape will do, whoever made it. */
export const structural: SingleHandoffDeps = {
  store: theirs.store,
  workspaceRegistry: { register() {}, get: () => theirs.driver, has: () => true },
  capacity: theirs.capacity,
  events: {},
  runStatus: theirs.runStatus,
};
export const ours: BroadcastHandoffDeps = {
  store: new InMemorySessionStore(),
  workspaceRegistry: new WorkspaceBackendRegistry(),
  capacity: new DefaultCapacityValidator(new InMemorySessionStore()),
  events: NOOP_HANDOFF_SINK,
  runStatus: NOOP_RUN_STATUS_RESOLVER,
};
export const recovery: HandoffRecoveryDeps = ours;

export async function refusals(assignment: HandoffAssignment, tenant: TenantId): Promise<void> {
  const outcome = await executeSingleHandoff(ours, assignment, tenant);
  outcome.committedOwnerVersion += 1;
  // @ts-expect-error a list is for a broadcast
  await executeSingleHandoff(ours, [assignment], tenant);
  // @ts-expect-error one assignment is no broadcast
  await executeBroadcastHandoff(ours, assignment, tenant);
  // @ts-expect-error the tenant is required
  await executeSingleHandoff(ours, assignment);
  // @ts-expect-error a session is not a handoff
  assignment.id = assignment.sourceSessionId;
  // @ts-expect-error a validator has both checks
  const half: CapacityValidator = { validateDepth: async () => {} };
  return half.validateDepth(assignment.sourceSessionId, 1, tenant);
}
