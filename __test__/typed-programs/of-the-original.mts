// Programs that compiled with `@namzu/sdk` 0.2.0, and must compile here, under any strictness.
import type {
  ActorRef,
  ArchivalManagerDeps,
  ArchiveBackend,
  GitWorktreeBackendMeta,
  HandoffCommittedEvent,
  MigrationMarker,
  MigrationWarning,
  Session,
  SessionSummaryMaterializerDeps,
  SingleHandoffDeps,
  SubSessionId,
  WorkspaceBackendDriver,
  WorkspaceRef,
} from 'namzu-native';
import {
  AncestryCycleError,
  ArchiveNotFoundError,
  DefaultFilesystemMigrator,
  DiskArchiveBackend,
  FilesystemMigrationError,
  GitWorktreeDriver,
  getRootLogger,
  HandoffLockRejected,
  StaleSessionError,
  TenantIsolationError,
  WorkspaceBackendError,
} from 'namzu-native';

/** A driver of an application's own says in its own words what it was doing. */
export function failures(container: string, thrown: unknown): Error[] {
  return [
    new WorkspaceBackendError({ op: `start:${container}`, kind: 'container', cause: thrown }),
    new WorkspaceBackendError({ op: 'create', kind: 'git-worktree' }),
    new FilesystemMigrationError({ op: 'copy_attachments', path: './data', cause: thrown }),
    new FilesystemMigrationError({ op: 'acquire_lock', path: './data' }),
  ];
}

export function isCreation(error: WorkspaceBackendError): boolean {
  const op: string = error.details.op;
  return op === 'create' || error.details.op === 'start';
}

export function handBack(session: Session, actor: ActorRef): Session {
  session.previousActors = [...session.previousActors, actor];
  return session;
}

/** The meta of a ref is that of a git worktree, in an assignment as in a switch. */
export function branchOf(ref: WorkspaceRef): string {
  const meta: GitWorktreeBackendMeta = ref.meta;
  switch (ref.meta.backend) {
    case 'git-worktree':
      return meta.branch;
    default: {
      const never: never = ref.meta.backend;
      return never;
    }
  }
}

/** The original's interfaces, as an application copied them for its own code. */
interface TheirRef {
  id: WorkspaceRef['id'];
  meta: { backend: 'git-worktree'; repoRoot: string; branch: string; worktreePath: string };
  createdAt: Date;
}
interface TheirDriver {
  readonly kind: 'git-worktree' | 'tmpfs' | 'container' | 'shared';
  create(params: { baseRef?: string; label?: string }): Promise<TheirRef>;
  branch(source: TheirRef, params: { label?: string }): Promise<TheirRef>;
  dispose(ref: TheirRef): Promise<void>;
  inspect(ref: TheirRef): Promise<{ exists: boolean; currentRef: string; isDirty: boolean }>;
}
export const theirDriver: TheirDriver = new GitWorktreeDriver({
  repoRoot: '.',
  logger: getRootLogger(),
});
export const ourDriver: WorkspaceBackendDriver = theirDriver;

type TheirInput = Omit<Parameters<ArchiveBackend['store']>[0], 'workspace'> & {
  readonly workspace?: TheirRef;
};
interface TheirBackend {
  readonly kind: string;
  store(input: TheirInput): ReturnType<ArchiveBackend['store']>;
  restore(ref: Parameters<ArchiveBackend['restore']>[0]): Promise<TheirInput>;
}
const disk = new DiskArchiveBackend({ rootDir: './data' });
export const theirBackend: TheirBackend = disk;
export const kind: 'disk' = disk.kind;

/** What was put into the dependencies can be used from there. */
export async function readBack(
  handoff: SingleHandoffDeps,
  archival: ArchivalManagerDeps,
  summaries: SessionSummaryMaterializerDeps,
  session: Session,
): Promise<unknown> {
  if (!handoff.workspaceRegistry.has('git-worktree')) {
    handoff.workspaceRegistry.register(ourDriver);
  }
  const resolved = await archival.workspaceResolver?.('wsp_a', session.tenantId);
  const branch: string | undefined = resolved?.meta.branch;
  archival.workspaceRegistry.register(ourDriver);
  return [branch, await summaries.store.loadMessages(session.id, session.tenantId)];
}

/** Records that are handed out are the application's: it may write to them. */
export async function annotate(
  event: HandoffCommittedEvent,
  marker: MigrationMarker,
  warning: MigrationWarning,
  subSession: SubSessionId,
): Promise<unknown[]> {
  event.newVersion += 1;
  event.handoffIds = [];
  marker.at = new Date();
  marker.version = '0.2.0';
  warning.legacyId = subSession;
  const result = await new DefaultFilesystemMigrator().migrate('./data');
  result.markerPath = '';
  const isolation = new TenantIsolationError({ requested: 'tnt_a', resource: 'session(ses_a)' });
  isolation.details.resource = 'redacted';
  const stale = new StaleSessionError({ sessionId: 'ses_a', expectedVersion: 0, actualVersion: 1 });
  stale.details.actualVersion = 2;
  const rejected = new HandoffLockRejected({ sessionId: 'ses_a', reason: 'active_run' });
  rejected.details.runId = 'run_a';
  const cycle = new AncestryCycleError({ sessionId: 'ses_a', cyclePath: ['ses_a'] });
  cycle.details.cyclePath = [];
  const gone = new ArchiveNotFoundError({ archiveRef: 'arc_a', reason: 'missing' });
  gone.details.reason = 'incomplete';
  return [event, marker, warning, result, isolation, stale, rejected, cycle, gone];
}
