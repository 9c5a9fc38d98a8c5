import type {
  BackendMeta,
  BranchWorkspaceParams,
  CreateWorkspaceParams,
  CustomBackendMeta,
  ExecFile,
  ExecFileResult,
  GitWorktreeBackendMeta,
  GitWorktreeDriverConfig,
  LogContext,
  Logger,
  LogLevel,
  PathBuilder,
  ProjectId,
  RunId,
  SessionId,
  SubSessionId,
  WorkspaceBackendDriver,
  WorkspaceBackendKind,
  WorkspaceBackendMeta,
  WorkspaceId,
  WorkspaceInspection,
  WorkspaceKeepReason,
  WorkspaceRef,
  WorkspaceRegistry,
  WorktreeListEntry,
} from 'namzu-native';
import {
  configureLogger,
  DefaultPathBuilder,
  GitWorktreeDriver,
  getRootLogger,
  type parseWorktreeList,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import type { Equal, Expect, OptionalKeys, ReadonlyKeys } from './assert.js';

interface ContractDriver {
  readonly kind: WorkspaceBackendKind;
  create(params: { baseRef?: string; label?: string }): Promise<WorkspaceRef>;
  branch(source: WorkspaceRef, params: { label?: string }): Promise<WorkspaceRef>;
  dispose(ref: WorkspaceRef): Promise<void>;
  inspect(ref: WorkspaceRef): Promise<{ exists: boolean; currentRef: string; isDirty: boolean }>;
}
interface ContractPaths {
  rootDir(): string;
  projectDir(project: ProjectId): string;
  sessionDir(project: ProjectId, session: SessionId): string;
  subSessionDir(project: ProjectId, session: SessionId, sub: SubSessionId): string;
  runDir(project: ProjectId, session: SessionId, run: RunId): string;
}

export type Shapes = [
  Expect<Equal<WorkspaceBackendKind, 'git-worktree' | 'tmpfs' | 'container' | 'shared'>>,
  Expect<Equal<keyof WorkspaceRef, 'id' | 'meta' | 'createdAt'>>,
  Expect<Equal<ReadonlyKeys<WorkspaceRef>, never>>,
  Expect<Equal<WorkspaceRef['id'], WorkspaceId>>,
  Expect<Equal<WorkspaceRef['meta'], WorkspaceBackendMeta>>,
  Expect<Equal<WorkspaceBackendMeta, GitWorktreeBackendMeta>>,
  Expect<Equal<keyof GitWorktreeBackendMeta, 'backend' | 'repoRoot' | 'branch' | 'worktreePath'>>,
  Expect<Equal<OptionalKeys<CreateWorkspaceParams>, 'baseRef' | 'label'>>,
  Expect<Equal<OptionalKeys<BranchWorkspaceParams>, 'label'>>,
  Expect<Equal<WorkspaceInspection['exists'], boolean>>,
  Expect<Equal<WorkspaceKeepReason, 'locked' | 'uncommitted' | 'unreachable'>>,
  Expect<Equal<WorkspaceInspection['currentRef'], string>>,
  Expect<Equal<WorkspaceInspection['isDirty'], boolean>>,
  Expect<Equal<WorkspaceKeepReason, 'locked' | 'uncommitted' | 'unreachable'>>,
  Expect<Equal<keyof ExecFileResult, 'stdout' | 'stderr'>>,
  Expect<Equal<Parameters<ExecFile>, [file: string, args: readonly string[]]>>,
  Expect<Equal<ReturnType<typeof parseWorktreeList>, WorktreeListEntry | null>>,
  Expect<Equal<OptionalKeys<WorktreeListEntry>, 'head' | 'branch'>>,
  Expect<Equal<LogLevel, 'debug' | 'info' | 'warn' | 'error'>>,
  Expect<Equal<ReturnType<typeof getRootLogger>, Logger>>,
  Expect<Equal<ReturnType<Logger['child']>, Logger>>,
];

declare const theirDriver: ContractDriver;
declare const theirPaths: ContractPaths;
declare const context: LogContext;

const config: GitWorktreeDriverConfig = {
  repoRoot: '.',
  logger: getRootLogger(),
  execFile: async () => ({ stdout: '', stderr: '' }),
};

export const driverToTheirs: ContractDriver = new GitWorktreeDriver(config);
export const driverToOurs: WorkspaceBackendDriver = theirDriver;
export const pathsToTheirs: ContractPaths = new DefaultPathBuilder('.');
export const pathsToOurs: PathBuilder = theirPaths;

/** A logger as an application has one: what its methods answer is not looked at. */
export const logger: Logger = {
  debug: () => true,
  info: () => true,
  warn: () => true,
  error: () => true,
  child: () => logger,
};
configureLogger({ level: 'warn' });
logger.child(context).info('x', { any: 1 });

export function registry(): boolean {
  const drivers = new WorkspaceBackendRegistry();
  drivers.register(theirDriver);
  const found: WorkspaceBackendDriver = drivers.get('git-worktree');
  // @ts-expect-error no such kind
  drivers.get('floppy');
  return drivers.has(found.kind);
}

/** A backend of the application's own, whose refs carry what it likes. */
interface ContainerMeta {
  backend: 'container';
  image: string;
}
declare const containers: WorkspaceBackendDriver<ContainerMeta>;
declare const custom: WorkspaceBackendDriver<CustomBackendMeta>;

export async function customMeta(drivers: WorkspaceRegistry): Promise<string> {
  drivers.register(containers);
  new WorkspaceBackendRegistry().register(custom);
  const ref: WorkspaceRef<ContainerMeta> = await containers.create({ label: undefined });
  const any: BackendMeta = ref.meta;
  return any.backend + ref.meta.image;
}

export function refusals(paths: PathBuilder, session: SessionId, project: ProjectId): void {
  // @ts-expect-error the project comes first
  paths.sessionDir(session, project);
  // @ts-expect-error a logger is required
  new GitWorktreeDriver({ repoRoot: '.' });
  // @ts-expect-error no such level
  configureLogger({ level: 'loud' });
}
