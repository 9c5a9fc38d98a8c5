/** The store that keeps its records in a directory. */

import { resolve } from 'node:path';
import { amount, type FileUrl, invalid, path } from '../arguments';
import { PROGRESS, tell } from '../listeners';
import { type NativeStore, native } from '../native';
import { attachCore, type CoreSource } from './core';
import { NativeSessionStore } from './native-session-store';

/** Where a {@link DiskSessionStore} keeps its records. */
export interface DiskSessionStoreConfig {
  /**
   * The directory of the store. It need not exist: the first write creates it.
   * A relative path is resolved once, when the store is constructed. A `file:` URL object
   * is taken as well; a string that looks like a URL is refused.
   */
  rootDir: string | FileUrl;
  /**
   * What an answered write survives: `full`, the default, a power cut; `relaxed` a
   * crash of the process, while a power cut takes what was not synced yet, as whole writes
   * from the end. {@link DiskSessionStore.flush} waits until it is.
   */
  durability?: Durability | undefined;
  /**
   * Told how the walk goes on through a root that was never looked through yet, as one that
   * `@namzu/sdk` wrote: that happens once, before the first answer that rests on the index.
   */
  onProgress?: ((progress: AdoptionProgress) => void) | undefined;
  /**
   * `true` says that no other program writes into `rootDir`: the index is believed, and
   * this process does not look for what others changed before its first answer that rests
   * on it. A root that was never looked through is looked through once all the same.
   * `false` by default; {@link DiskSessionStore.refresh} looks in any case.
   */
  trustIndex?: boolean | undefined;
  /**
   * The longest message log, in bytes, that is still answered as one list; what is
   * longer is read with `streamMessages` or in parts. By default that is V8's
   * longest string, about 512 MiB.
   */
  maxListBytes?: number | undefined;
}

/** How far the walk through a root has come. */
export interface AdoptionProgress {
  /** Session folders that are done. */
  readonly done: number;
  /** Session folders in all. */
  readonly total: number;
  /** What is being done. */
  readonly phase: 'survey';
}

/** What an answered write survives: a power cut, or a crash of the process alone. */
export type Durability = 'full' | 'relaxed';

/**
 * A session store in a directory, in the record format of `@namzu/sdk` 0.2.0:
 * a root that either of them wrote opens in the other.
 *
 * The constructor neither reads nor writes. It throws `InvalidArgumentError` for options
 * that cannot be used; what the system refuses makes the calls reject, with `StoreIoError`.
 *
 * @example
 * ```ts
 * const store = new DiskSessionStore({ rootDir: './data' });
 * const tenant = generateTenantId();
 * const project = await store.createProject({ tenantId: tenant, name: 'Support' }, tenant);
 * const session = await store.createSession(
 *   { projectId: project.id, currentActor: null },
 *   tenant,
 * );
 * await store.appendMessage(session.id, createUserMessage('Hello'), tenant);
 * ```
 */
export class DiskSessionStore extends NativeSessionStore {
  constructor(config: DiskSessionStoreConfig) {
    super();
    attachCore(this, openLater((config ?? {}) as Partial<DiskSessionStoreConfig>));
  }
}

/** The native store of a directory, opened when it is first asked for. */
function openLater(config: Partial<DiskSessionStoreConfig>): CoreSource {
  const { durability = 'full', onProgress, maxListBytes, trustIndex = false } = config;
  const root = resolve(path('rootDir', config.rootDir));
  if (durability !== 'full' && durability !== 'relaxed') {
    refuse('durability', "'full' or 'relaxed'", durability);
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    refuse('onProgress', 'a function', onProgress);
  }
  if (typeof trustIndex !== 'boolean') {
    refuse('trustIndex', 'a boolean', trustIndex);
  }
  const longest = amount('maxListBytes', maxListBytes) ?? null;
  let opened: NativeStore | undefined;
  let missed: Promise<void> | undefined;
  return {
    about: { rootDir: root, durability },
    core() {
      opened ??= new native.NativeDiskStore(
        root,
        durability === 'relaxed',
        onProgress && reporter(onProgress),
        longest,
        durability === 'relaxed' ? (reason) => warnOfFailedSync(root, reason) : undefined,
        trustIndex,
      );
      return opened;
    },
    missed() {
      missed ??= warnOfEarlierLayout(root);
      return missed;
    },
  };
}

/** What is not found may be in the layout of an earlier release. */
async function warnOfEarlierLayout(root: string): Promise<void> {
  if (!(await native.isMigrationDue(root))) return;
  process.emitWarning(
    `${root} still has \`threads/\` of a release before 0.2.0, where this store does not look: ` +
      'migrate it first, with `new DefaultFilesystemMigrator().migrate(rootDir)`',
    { type: 'NamzuWarning', code: 'NAMZU_NOT_MIGRATED' },
  );
}

/** The callers of writes that were answered before they are synced wait no more. */
function warnOfFailedSync(root: string, reason: string): void {
  process.emitWarning(
    `${root}: writes that were answered could not be synced (${reason}); they are written ` +
      'again, but look at the disk: a failed sync usually means that it is dying',
    { type: 'NamzuWarning', code: 'NAMZU_NOT_SYNCED' },
  );
}

/** What throws in an application's callback is the application's to see, not the store's. */
function reporter(onProgress: (progress: AdoptionProgress) => void) {
  return (done: number, total: number) =>
    tell(PROGRESS, 'onProgress', () => onProgress({ done, total, phase: 'survey' }));
}

function refuse(argument: string, expected: string, value: unknown): never {
  throw invalid(argument, expected, value, refuse);
}
