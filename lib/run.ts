/** Runs of agents, as far as sessions are concerned: their status and their events. */

import type { ActorRef } from './actor';
import type { MessageId, RunId, SessionId, SubSessionId } from './ids';

/**
 * Where a session stands in its tree.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export interface Lineage {
  parentSessionId: SessionId;
  rootSessionId: SessionId;
  /** Number of edges from the root; 0 at the root itself. */
  depth: number;
}

/** Where a run of an agent stands. */
export type RunStatus =
  | 'queued'
  | 'running'
  | 'awaiting_hitl'
  | 'awaiting_hitl_resolution'
  | 'awaiting_subsession'
  | 'succeeded'
  | 'failed'
  | 'cancelled';

/**
 * The version of the shape of run events.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export const RUN_EVENT_SCHEMA_VERSION = 2;

/**
 * The type of {@link RUN_EVENT_SCHEMA_VERSION}.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export type RunEventSchemaVersion = typeof RUN_EVENT_SCHEMA_VERSION;

interface SubsessionEventBase {
  runId: RunId;
  subSessionId: SubSessionId;
  parentSessionId: SessionId;
  lineage: Lineage;
  schemaVersion: RunEventSchemaVersion;
  at: Date;
}

/**
 * A sub-session was created.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export interface SubsessionSpawnedEvent extends SubsessionEventBase {
  type: 'subsession_spawned';
  spawnedBy: ActorRef;
}

/**
 * A message was appended to a sub-session.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export interface SubsessionMessagedEvent extends SubsessionEventBase {
  type: 'subsession_messaged';
  messageId: MessageId;
}

/**
 * A sub-session became idle.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export interface SubsessionIdledEvent extends SubsessionEventBase {
  type: 'subsession_idled';
}

/**
 * An event in the life of a sub-session; `type` tells which.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export type SubsessionLifecycleEvent =
  | SubsessionSpawnedEvent
  | SubsessionMessagedEvent
  | SubsessionIdledEvent;
