// What may be absent may also be given as `undefined`: options are often passed on.
import type {
  AbortSignalLike,
  ExtendedSessionStore,
  MessageId,
  Page,
  Project,
  ProjectId,
  SessionId,
  SessionStatus,
  TenantId,
} from 'namzu-native';
import {
  ArchivalManager,
  configureLogger,
  DefaultFilesystemMigrator,
  DiskArchiveBackend,
  DiskSessionStore,
  GitWorktreeDriver,
  getRootLogger,
  SessionSummaryMaterializer,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { describeSessionStore } from 'namzu-native/conformance';

/** What an application's caller may have said, or not. */
interface Said {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly status?: SessionStatus | undefined;
  readonly key?: string | undefined;
  readonly before?: MessageId | undefined;
  readonly signal?: AbortSignalLike | undefined;
  readonly flag?: boolean | undefined;
}

export async function page(
  store: ExtendedSessionStore,
  tenant: TenantId,
  project: ProjectId,
  session: SessionId,
  said: Said,
): Promise<Project[]> {
  const all: Project[] = [];
  let cursor: string | undefined;
  do {
    const part: Page<Project> = await store.listProjects(tenant, { cursor, limit: said.limit });
    all.push(...part.items);
    cursor = part.nextCursor;
  } while (cursor !== undefined);
  const { status, key: idempotencyKey, before } = said;
  await store.listSessionsByProject(project, tenant, { cursor: said.cursor, status });
  await store.appendMessages(session, [], tenant, { idempotencyKey });
  await store.loadMessages(session, tenant, { before, after: undefined, limit: said.limit });
  await store.updateProject(project, { maxDelegationDepth: said.limit }, tenant);
  await store.createProject(
    { tenantId: tenant, name: 'x', config: { maxDelegationWidth: said.limit } },
    tenant,
  );
  return all;
}

export async function operations(said: Said, tenant: TenantId, project: ProjectId): Promise<void> {
  const rootDir = './data';
  const store = new DiskSessionStore({
    rootDir,
    durability: undefined,
    onProgress: undefined,
    maxListBytes: said.limit,
  });
  new GitWorktreeDriver({
    repoRoot: '.',
    worktreesDir: undefined,
    logger: getRootLogger(),
    execFile: undefined,
    timeoutMs: said.limit,
  });
  configureLogger({ level: undefined });
  const archival = new ArchivalManager({
    sessionStore: store,
    workspaceRegistry: new WorkspaceBackendRegistry(),
    archiveBackend: new DiskArchiveBackend({ rootDir, durability: undefined }),
    workspaceResolver: undefined,
    onArchived: undefined,
    onRestored: undefined,
  });
  await archival.archive('sub_a', tenant, { evict: said.flag });
  await archival.sweep(project, tenant, {
    policy: undefined,
    dryRun: said.flag,
    now: undefined,
    evict: said.flag,
    signal: said.signal,
    onProgress: undefined,
  });
  await new DefaultFilesystemMigrator().migrate(rootDir, {
    signal: said.signal,
    onProgress: undefined,
  });
  new SessionSummaryMaterializer({ store, generateSummaryId: () => 'sum_a', now: undefined });
  describeSessionStore('x', () => store, { skip: undefined });
}
