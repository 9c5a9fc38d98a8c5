/**
 * What the compiled core looks like from here.
 *
 * Records cross this boundary as JSON text. The in-memory store answers at
 * once, and so does the disk store where all that a read needs is in memory;
 * otherwise it answers by a Promise. Everything else is the same.
 */

import { loadCore } from './load-core';

/**
 * How the core calls objects of the application. The promise never rejects: it holds the JSON of the
 * answer, nothing for `undefined`, or `!` and the JSON of a account of what was thrown.
 */
export type HostCall = (object: string, method: string, argumentsJson: string) => Promise<string>;

/** What a native store answers: the value itself, or a Promise of it. */
type Answer<T> = T | Promise<T>;

/**
 * The methods of both native stores. A `Json` parameter is the text of a record, `now`
 * the time to stamp it with, of this thread's clock: tests set it.
 */
export interface NativeStore {
  flush(): Answer<null | undefined>;
  close(): Answer<null | undefined>;
  refresh(): Answer<null | undefined>;
  createProject(paramsJson: string, tenantId: string, now: number): Answer<string>;
  getProject(id: string, tenantId: string): Answer<string | null>;
  createSession(paramsJson: string, tenantId: string, now: number): Answer<string>;
  getSession(id: string, tenantId: string): Answer<string | null>;
  updateSession(
    sessionJson: string,
    tenantId: string,
    expected: number | null,
    now: number,
  ): Answer<null>;
  deleteSession(id: string, tenantId: string): Answer<null>;
  createSubSession(paramsJson: string, tenantId: string, now: number): Answer<string>;
  getSubSession(id: string, tenantId: string): Answer<string | null>;
  updateSubSession(subSessionJson: string, tenantId: string, now: number): Answer<null>;
  deleteSubSession(id: string, tenantId: string): Answer<null>;
  /** Answers the id of the message as it is, not as JSON. */
  appendMessage(
    sessionId: string,
    messageJson: string,
    tenantId: string,
    now: number,
  ): Answer<string>;
  /** Texts of JSON arrays, to be concatenated. */
  loadMessages(sessionId: string, tenantId: string): Answer<string[]>;
  /** Texts of JSON arrays, to be concatenated. */
  loadSessionMessages(sessionId: string, tenantId: string): Answer<string[]>;
  getChildren(sessionId: string, tenantId: string): Answer<string>;
  getAncestry(sessionId: string, tenantId: string): Answer<string>;
  drill(sessionId: string, tenantId: string): Answer<string | null>;
  recordSummary(summaryJson: string, tenantId: string, now: number): Answer<null>;
  getSummary(sessionId: string, tenantId: string): Answer<string | null>;
  /** Hands a session over in this very store; see {@link NativeModule.executeHandoff}. */
  executeHandoff(host: HostCall, assignmentsJson: string, tenantId: string): Promise<string>;
  recoverHandoffs(host: HostCall, tenantId: string): Promise<string>;
  updateProject(
    id: string,
    configJson: string,
    tenantId: string,
    now: number,
  ): Answer<string | null>;
  listProjects(tenantId: string, pageJson: string): Answer<string>;
  listSessionsByProject(id: string, tenantId: string, optionsJson: string): Answer<string>;
  /** Answers the ids as a JSON array. */
  appendMessages(
    sessionId: string,
    messagesJson: string,
    key: string | null,
    tenantId: string,
    now: number,
  ): Answer<string>;
  /** Texts of JSON arrays, to be concatenated. */
  loadMessagesSelected(id: string, rangeJson: string, tenantId: string): Answer<string[]>;
  /** Texts of JSON arrays, to be concatenated. */
  loadSessionMessagesSelected(id: string, rangeJson: string, tenantId: string): Answer<string[]>;
  replaceMessages(
    sessionId: string,
    messagesJson: string,
    tenantId: string,
    now: number,
  ): Answer<null>;
  countMessages(sessionId: string, tenantId: string): Answer<number>;
  streamMessages(sessionId: string, rangeJson: string, tenantId: string): NativeMessageStream;
  /** Answers a tombstone. */
  archive(
    archive: NativeArchive,
    subSessionId: string,
    tenantId: string,
    how: {
      readonly workspace: string | undefined;
      readonly evict: boolean;
      readonly idleSince: number | undefined;
    },
    now: number,
  ): Promise<string>;
  /**
   * Archives the first of some edges, as many as there are in one turn; with `resolves`
   * none from the first on that has a workspace. Answers an array of tombstones and
   * marked errors.
   */
  archiveBatch(
    archive: NativeArchive,
    subSessionIds: readonly string[],
    tenantId: string,
    how: {
      readonly evict: boolean;
      readonly resolves: boolean;
      readonly idleSince: readonly number[];
    },
    now: number,
  ): Promise<string>;
  /** What a policy wants archived of a project: `{ edges, kept, damaged }`. */
  dueOf(projectId: string, tenantId: string, policyJson: string, now: number): Promise<string>;
  /** When a session was last changed; -1 while it is in use, `null` where that does not count. */
  activityOf(sessionId: string, tenantId: string): Promise<number | null>;
  restore(
    archive: NativeArchive,
    subSessionId: string,
    tenantId: string,
    goneWorkspace: string | null,
    now: number,
  ): Promise<null>;
  /** Answers how many bundles it removed. */
  removeUnsealed(archive: NativeArchive): Promise<number>;
  restoreSession(
    archive: NativeArchive,
    sessionId: string,
    tenantId: string,
    now: number,
  ): Promise<null>;
  /** How a sub-session and its child stand; `null` while that cannot be told. */
  archivalMark(subSessionId: string, tenantId: string): Promise<string | null>;
  archivalMarkHolds(
    subSessionId: string,
    mark: string,
    evict: boolean,
    tenantId: string,
  ): Promise<boolean>;
  /** Answers whether all was as it was at the mark; otherwise nothing happened. */
  markArchived(
    subJson: string,
    how: {
      readonly mark: string;
      readonly evict: boolean;
      readonly idleSince: number | undefined;
    },
    tenantId: string,
    now: number,
  ): Promise<boolean>;
  /** Answers `{ archiveRef, subSessionId }`, or `null` for a session that is not evicted. */
  evictedInto(sessionId: string, tenantId: string): Promise<string | null>;
  /** Answers what ends the eviction, or `null` for a session that is not evicted. */
  putBack(
    sessionId: string,
    archiveRef: string,
    lines: string[],
    summaryJson: string | null,
    tenantId: string,
  ): Promise<string | null>;
  /** Answers whether the sub-session still was as `kept` says; otherwise nothing happened. */
  markRestored(
    subJson: string,
    how: {
      readonly archiveRef: string;
      readonly kept: string;
      readonly claim: string | undefined;
      readonly goneWorkspace: string | undefined;
    },
    tenantId: string,
    now: number,
  ): Promise<boolean>;
  endEviction(restoration: string): Promise<null>;
}

/** Where the bundles of a disk archive are. */
export interface NativeArchive {
  readonly rootDir: string;
  readonly durable: boolean;
}

/** Messages that are read as they are asked for. */
export interface NativeMessageStream {
  /** The text of a JSON array of messages, or `null` at the end. */
  next(): Answer<string | null>;
}

/** The real git: its environment as JSON, and how many milliseconds a run may take. */
export interface RealGit {
  environment: string;
  limit: number;
}

/** One migration of one root, by its absolute path. */
export interface NativeMigration {
  /** `{ progress }`, `{ answer }`, or `{}` when it was told to stop. */
  step(): Promise<string>;
  stop(): void;
  release(): Promise<void>;
}

/** What the compiled core exports. */
export interface NativeModule {
  /** The version of the package that this core was built for. */
  coreVersion(): string;
  generateId(prefix: string): string;
  NativeMigration: new (rootDir: string, now: number) => NativeMigration;
  readMigrationMarker(path: string): Promise<string | null>;
  writeMigrationMarker(path: string, markerJson: string): Promise<void>;
  acquireMigrationLock(path: string, now: number): Promise<void>;
  releaseMigrationLock(path: string): Promise<void>;
  isMigrationDue(rootDir: string): Promise<boolean>;
  /** Whether this is the first time that the process sees an id. */
  firstSightOfLegacyId(idJson: string): boolean;
  forgetLegacyIds(): void;
  checkPathId(kind: string, id: string): void;
  /**
   * Hands a session over in the store of the host: to one actor when the JSON is
   * that of an object, to several when it is an array.
   */
  executeHandoff(host: HostCall, assignmentsJson: string, tenantId: string): Promise<string>;
  parseWorktreeList(stdout: string, worktreePath: string): string | null;
  /** `{ ref, arguments }` */
  plannedWorktree(paramsJson: string): string | null;
  createWorktree(
    host: HostCall,
    git: RealGit | null,
    folder: string,
    paramsJson: string,
  ): Promise<string>;
  disposeWorktree(
    host: HostCall,
    git: RealGit | null,
    folder: string,
    refJson: string,
  ): Promise<void>;
  forgetWorktree(
    host: HostCall,
    git: RealGit | null,
    folder: string,
    refJson: string,
  ): Promise<void>;
  discardWorktree(
    host: HostCall,
    git: RealGit | null,
    folder: string,
    refJson: string,
  ): Promise<void>;
  inspectWorktree(
    host: HostCall,
    git: RealGit | null,
    folder: string,
    refJson: string,
  ): Promise<string>;
  keepWorktreeReason(
    host: HostCall,
    git: RealGit | null,
    folder: string,
    refJson: string,
  ): Promise<string | null>;
  materializeSummary(host: HostCall, inputJson: string): Promise<string>;
  recoverSummary(host: HostCall, sessionId: string, tenantId: string): Promise<string | null>;
  validatePrevArtifactChain(
    host: HostCall,
    proposed: string,
    ancestorJson: string,
    maxDepth: number,
  ): Promise<string>;
  storeBundle(
    archive: NativeArchive,
    identityJson: string,
    lines: string[],
    now: number,
  ): Promise<string>;
  /** An `ArchiveInput` without messages, then texts of JSON arrays of them. */
  readBundle(archive: NativeArchive, archiveRef: string): Promise<string[]>;
  verifyBundles(archive: NativeArchive): Promise<string>;
  removeBundle(archive: NativeArchive, archiveRef: string): Promise<null>;
  assertArchivable(id: string, status: string | null): void;
  assertRestorable(id: string, status: string | null, archiveRef: string | null): string;
  dueEdges(edgesJson: string, policyJson: string, now: number): string;
  /** Answers the text of an array of findings. */
  verify(rootDir: string): Promise<string>;
  NativeMemoryStore: new () => NativeStore;
  NativeDiskStore: new (
    rootDir: string,
    relaxed: boolean,
    onProgress: ((done: number, total: number) => void) | undefined,
    maxListBytes: number | null,
    onFailedSync: ((reason: string) => void) | undefined,
    trustIndex: boolean,
  ) => NativeStore;
}

/** The compiled core, loaded when this module is. */
export const native = loadCore() as NativeModule;
