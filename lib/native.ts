/**
 * Finds and loads the compiled core, and says what it looks like from here.
 *
 * Records cross this boundary as JSON text. The in-memory store answers at
 * once, the disk store by a Promise; everything else is the same.
 */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What a native store answers: the value itself, or a Promise of it. */
type Answer<T> = T | Promise<T>;

/**
 * The methods of both native stores. A `Json` parameter is the text of a record, `now`
 * the time to stamp it with, of this thread's clock: tests set it.
 */
export interface NativeStore {
  close(): Answer<null | undefined>;
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
  NativeMemoryStore: new () => NativeStore;
  NativeDiskStore: new (
    rootDir: string,
    relaxed: boolean,
    onProgress: ((done: number, total: number) => void) | undefined,
  ) => NativeStore;
}

const requireHere = createRequire(__filename);

/** Both C libraries are candidates on Linux: only the right one is ever installed or loads. */
function targets(): readonly string[] {
  const base = `${process.platform}-${process.arch}`;
  if (process.platform === 'linux') return [`${base}-gnu`, `${base}-musl`];
  return [process.platform === 'win32' ? `${base}-msvc` : base];
}

function load(): NativeModule {
  const failures: unknown[] = [];
  for (const target of targets()) {
    const local = join(__dirname, '..', 'native', `namzu-native.${target}.node`);
    if (!existsSync(local)) continue;
    try {
      return requireHere(local);
    } catch (error) {
      failures.push(error);
    }
  }
  for (const target of targets()) {
    try {
      return requireHere(`namzu-native-${target}`);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') failures.push(error);
    }
  }
  throw new Error(
    `The compiled core of namzu-native for ${process.platform}-${process.arch} ` +
      `${failures.length === 0 ? 'is missing' : 'could not be loaded'}: install the optional ` +
      `package ${targets()
        .map((target) => `namzu-native-${target}`)
        .join(' or ')}, or build it from source with "npm run build" in a clone of the repository`,
    { cause: failures.length > 1 ? new AggregateError(failures) : failures[0] },
  );
}

/** The compiled core, loaded when this module is. */
export const native: NativeModule = load();
