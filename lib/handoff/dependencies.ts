/** What a handoff needs of its application, and how the core reaches it. */

import type { ActorRef } from '../actor';
import { invalid } from '../arguments';
import { Host } from '../host';
import type { SessionId, SubSessionId, TenantId } from '../ids';
import { HANDOFF, tell } from '../listeners';
import type { ProjectConfig } from '../project';
import type { Session } from '../session';
import type {
  CreateSessionParams,
  CreateSubSessionParams,
  SessionStore,
} from '../store/session-store';
import type { WorkspaceBackendDriver, WorkspaceRef, WorkspaceRegistry } from '../workspace';
import {
  discardWorkspace,
  plannedWorktree,
  takeBackWorkspace,
} from '../workspace/git-worktree-driver';
import { peekDriver } from '../workspace/registry';
import type { CapacityValidator } from './capacity';
import type { HandoffEventSink } from './events';
import { NOOP_RUN_STATUS_RESOLVER, type RunStatusResolver } from './run-status';

/** What {@link executeSingleHandoff} works with. Any object of the right shape will do. */
export interface SingleHandoffDeps {
  store: SessionStore;
  workspaceRegistry: WorkspaceRegistry;
  capacity: CapacityValidator;
  events: HandoffEventSink;
  /** {@link NOOP_RUN_STATUS_RESOLVER} when absent. */
  runStatus?: RunStatusResolver | undefined;
}

/** What {@link executeBroadcastHandoff} works with. */
export interface BroadcastHandoffDeps extends SingleHandoffDeps {}

/** What {@link recoverHandoffs} works with. */
export interface HandoffRecoveryDeps
  extends Pick<SingleHandoffDeps, 'store' | 'workspaceRegistry'> {
  events?: HandoffEventSink | undefined;
}

/** The same, with no more of a registry than what is called. */
export type Accepted<Deps extends Pick<SingleHandoffDeps, 'workspaceRegistry'>> = Omit<
  Deps,
  'workspaceRegistry'
> & { workspaceRegistry: Pick<WorkspaceRegistry, 'get'> };

/** Who hands a session over, and to whom: the application's own objects. */
export interface HandoffActors {
  readonly source: ActorRef;
  readonly recipient: ActorRef;
}

/**
 * The host of one handoff. Every field of `deps` and every method is looked up
 * when it is called.
 *
 * @param rows the actors of each assignment
 */
export function handoffHost(
  deps: Accepted<SingleHandoffDeps>,
  rows: readonly HandoffActors[],
): Host {
  const [workspaces, events] = [workspacesOf(deps), eventsOf(deps)];
  const limits: Partial<ProjectLimits> = {};
  const store = storeOf(deps, rows, limits);
  // A limit that an application's store said is passed on as it said it.
  const capacity = {
    async validateDepth(parent: SessionId, told: number, tenantId: TenantId) {
      const most = 'depth' in limits ? limits.depth : told;
      await deps.capacity.validateDepth(parent, most as number, tenantId);
    },
    async validateWidth(parent: SessionId, more: number, told: number, tenantId: TenantId) {
      const most = 'width' in limits ? limits.width : told;
      await deps.capacity.validateWidth(parent, more, most as number, tenantId);
    },
  };
  return new Host({
    store: () => store,
    workspaces: () => workspaces,
    events: () => events,
    capacity: () => capacity,
    runStatus: () => deps.runStatus ?? NOOP_RUN_STATUS_RESOLVER,
    clock: () => clock,
  });
}

/** The clock of the application, which its tests may have stopped. */
const clock = { now: () => new Date() };

/** The host of a recovery. */
export function recoveryHost(deps: Accepted<HandoffRecoveryDeps>): Host {
  const [workspaces, events] = [workspacesOf(deps), eventsOf(deps)];
  return new Host({ workspaces: () => workspaces, events: () => events, clock: () => clock });
}

/** What a project of an application's store says; it may be anything, or nothing. */
interface ProjectLimits {
  depth: number | undefined;
  width: number | undefined;
}

/**
 * A store as the core calls it. The source is kept here as the store answered it:
 * the core tells which fields of it change, and all others stay, known or not. Actors and
 * limits never pass through JSON, which cannot express all of them: the core names what it
 * means, row by row, and gets the application's own objects put in their place.
 */
function storeOf(
  deps: Pick<SingleHandoffDeps, 'store'>,
  rows: readonly HandoffActors[],
  limits: Partial<ProjectLimits>,
) {
  let source: Session | null = null;
  let sessions = 0;
  let edges = 0;
  return {
    async getSession(id: SessionId, tenantId: TenantId) {
      source = (await deps.store.getSession(id, tenantId)) ?? null;
      if (source === null) return null;
      const { projectId, tenantId: owner, status, previousActors, ownerVersion } = source;
      if (previousActors !== undefined && !Array.isArray(previousActors)) {
        throw invalid('getSession.previousActors', 'an array', previousActors, handoffHost);
      }
      return { projectId, tenantId: owner, status, ownerVersion };
    },
    async getProject(...args: Parameters<SessionStore['getProject']>) {
      const project = await deps.store.getProject(...args);
      if (project == null) return null;
      const config: unknown = project.config;
      if (typeof config !== 'object' || config === null) return { config };
      limits.depth = (config as ProjectConfig).maxDelegationDepth;
      limits.width = (config as ProjectConfig).maxDelegationWidth;
      return { config: {} };
    },
    async updateSession(changes: Partial<Session>, tenantId: TenantId, ...expected: [number?]) {
      // `expected` stays away when there is none: only the lock has a third argument.
      const next = { ...(source as Session), ...changes };
      if ('currentActor' in changes) {
        const { previousActors = [], currentActor } = source as Session;
        next.currentActor = rows[0]?.recipient as ActorRef;
        next.previousActors =
          currentActor == null ? [...previousActors] : [...previousActors, currentActor];
      }
      await deps.store.updateSession(next, tenantId, ...expected);
    },
    async createSession(params: CreateSessionParams, tenantId: TenantId) {
      const currentActor = rows[sessions++]?.recipient as ActorRef;
      const { id } = await deps.store.createSession({ ...params, currentActor }, tenantId);
      return { id };
    },
    async createSubSession(params: CreateSubSessionParams, tenantId: TenantId) {
      const spawnedBy = rows[edges++]?.source as ActorRef;
      const { id } = await deps.store.createSubSession({ ...params, spawnedBy }, tenantId);
      return { id };
    },
    async deleteSubSession(id: SubSessionId, tenantId: TenantId) {
      await deps.store.deleteSubSession(id, tenantId);
    },
    async deleteSession(id: SessionId, tenantId: TenantId) {
      await deps.store.deleteSession(id, tenantId);
    },
  };
}

/** The workspaces of a handoff as the core calls them: by their number, in order. */
function workspacesOf(deps: Pick<Accepted<SingleHandoffDeps>, 'workspaceRegistry'>) {
  const refs: WorkspaceRef[] = [];
  let driver: WorkspaceBackendDriver;
  let failed: { readonly error: unknown } | undefined;
  return {
    /** What will be made for these labels, when a driver of ours is going to make it. */
    planned(labels: readonly string[]) {
      const ours = peekDriver(deps.workspaceRegistry, 'git-worktree');
      const planned = labels.map((label) => plannedWorktree(ours, label));
      return { now: new Date(), ...(planned.includes(null) ? {} : { refs: planned }) };
    },
    find() {
      driver = deps.workspaceRegistry.get('git-worktree');
    },
    async create(label: string) {
      if (failed !== undefined) throw failed.error;
      const ref = await driver.create({ label });
      refs.push(ref);
      return imageOf(ref);
    },
    /** One after the other, up to the first that fails; `create` throws that one's error then. */
    async createAll(labels: readonly string[]) {
      try {
        for (const label of labels) refs.push(await driver.create({ label }));
      } catch (error) {
        failed = { error };
      }
      return refs.map(imageOf);
    },
    async dispose(number: number) {
      await takeBackWorkspace(driver, refs[number] as WorkspaceRef);
    },
    /** Removes what a handoff left whose process has ended. */
    async discard(ref: WorkspaceRef) {
      ref.createdAt = new Date(ref.createdAt);
      await discardWorkspace(deps.workspaceRegistry.get(ref.meta.backend), ref);
    },
  };
}

/**
 * What the core is to know of a workspace: its id, and as much of the rest as JSON can
 * express, for a recovery. The reference itself stays here. Nothing of one that cannot be
 * looked at: the core refuses it, and it is disposed of.
 */
function imageOf(ref: WorkspaceRef): object | undefined {
  try {
    const above: unknown[] = [];
    const text = JSON.stringify(ref, function (this: unknown, _key, value: unknown) {
      if (typeof value === 'bigint') return undefined;
      if (typeof value !== 'object' || value === null) return value;
      while (above.length > 0 && above.at(-1) !== this) above.pop();
      if (above.includes(value)) return undefined;
      above.push(value);
      return value;
    });
    const image: unknown = text === undefined ? undefined : JSON.parse(text);
    if (typeof image !== 'object' || image === null || Array.isArray(image)) return undefined;
    const { id } = ref;
    return typeof id === 'string' ? { ...image, id } : image;
  } catch {
    return undefined;
  }
}

/** The listeners of a handoff as the core calls them: they never throw. */
function eventsOf(deps: Partial<Pick<SingleHandoffDeps, 'events'>>) {
  const listener = (name: keyof HandoffEventSink) => (event: object) =>
    tell(HANDOFF, name, () => deps.events?.[name]?.({ ...event, at: new Date() } as never));
  return {
    onLocked: listener('onLocked'),
    onUnlocked: listener('onUnlocked'),
    onCommitted: listener('onCommitted'),
    onBroadcastRollback: listener('onBroadcastRollback'),
    /** Nothing to do: the question is whether it can be called at all. */
    isListening() {},
  };
}
