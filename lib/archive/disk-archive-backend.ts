/** An archive in a directory. */

import { resolve } from 'node:path';
import * as argument from '../arguments';
import { publicError } from '../errors/from-native';
import type { ArchiveBackendRef } from '../ids';
import { parseSessionMessages, reviveSummary } from '../json';
import { type NativeArchive, native } from '../native';
import { pristine } from '../pristine';
import { time } from '../time';
import { linesOf } from './lines';
import type { ArchiveBackend, ArchiveInput, ArchiveOutput } from './types';

/** Where a {@link DiskArchiveBackend} keeps its bundles. */
export interface DiskArchiveBackendConfig {
  /**
   * The bundles are in its folder `archive`; it may be the root of a store. A path, or a
   * `file:` URL object.
   */
  rootDir: string | argument.FileUrl;
  /**
   * `full`, the default: a bundle survives a power loss before it counts as
   * complete. `relaxed` leaves that to the operating system.
   */
  durability?: 'full' | 'relaxed' | undefined;
}

/** How a bundle stands: it can be read, or why not. */
export interface ArchiveBundleState {
  readonly archiveRef: ArchiveBackendRef;
  readonly state: 'complete' | 'incomplete' | 'corrupt';
}

/**
 * Keeps each bundle in a folder `archive/<archiveRef>/` of its own, in the format
 * of `@namzu/sdk` 0.2.0, with a SHA-256 of every file. A bundle that the SDK wrote
 * has none, and is read without being verified.
 *
 * With the `rootDir` of the store that is archived, a bundle becomes complete and
 * its sub-session archived in one step.
 */
export class DiskArchiveBackend implements ArchiveBackend {
  readonly kind = 'disk' as const;
  private readonly place: () => NativeArchive;

  constructor(config: DiskArchiveBackendConfig) {
    const { rootDir, durability }: Partial<DiskArchiveBackendConfig> = config ?? {};
    this.place = placeOf(rootDir, durability);
  }

  /**
   * Writes a new bundle.
   *
   * @throws StoreIoError when the system refuses; no bundle is left behind then
   */
  async store(input: ArchiveInput): Promise<ArchiveOutput> {
    try {
      const { subSessionId, sessionId, tenantId, workspace, summaryRef, messages } =
        argument.object('input', input);
      const identity = { subSessionId, sessionId, tenantId, workspace, summaryRef };
      const { archiveRef, archivedAt } = JSON.parse(
        await native.storeBundle(
          this.place(),
          argument.json('input', identity),
          linesOf('input.messages', messages),
          time(),
        ),
      );
      return { archiveRef, archivedAt: new Date(archivedAt) };
    } catch (error) {
      throw publicError(error);
    }
  }

  /**
   * Verifies a bundle and reads it.
   *
   * @throws ArchiveNotFoundError with the reason: `missing`, `incomplete` or `corrupt`
   */
  async restore(archiveRef: ArchiveBackendRef): Promise<ArchiveInput> {
    try {
      const [identity = '{}', ...messages] = await native.readBundle(
        this.place(),
        argument.string('archiveRef', archiveRef),
      );
      const input: Omit<ArchiveInput, 'messages'> = JSON.parse(identity);
      if (input.summaryRef !== undefined) reviveSummary(input.summaryRef);
      const { workspace } = input;
      if (workspace !== undefined) workspace.createdAt = new Date(workspace.createdAt);
      return { ...input, messages: parseSessionMessages(messages) };
    } catch (error) {
      throw publicError(error);
    }
  }

  /**
   * Removes a bundle for good; one that is missing is removed already. What is in no
   * other place goes with it: a session that was evicted into it has no messages left.
   * The backend knows no tenants: the application says which caller may ask.
   *
   * @throws StoreIoError when the system refuses
   */
  async remove(archiveRef: ArchiveBackendRef): Promise<void> {
    try {
      await native.removeBundle(this.place(), argument.string('archiveRef', archiveRef));
    } catch (error) {
      throw publicError(error);
    }
  }

  /**
   * Reads every bundle, and says how it stands. An `incomplete` one was never
   * finished: nothing refers to it, and the next sweep removes it.
   */
  async verify(): Promise<readonly ArchiveBundleState[]> {
    try {
      return JSON.parse(await native.verifyBundles(this.place()));
    } catch (error) {
      throw publicError(error);
    }
  }
}

function placeOf(rootDir: unknown, durability: unknown): () => NativeArchive {
  const root = resolve(argument.path('rootDir', rootDir));
  if (durability !== undefined && durability !== 'full' && durability !== 'relaxed') {
    throw argument.invalid('durability', '"full" or "relaxed"', durability, placeOf);
  }
  const place = { rootDir: root, durable: durability !== 'relaxed' };
  return () => place;
}

const isPristine = pristine(DiskArchiveBackend);

/** Where the bundles of a backend of ours are, if it is pristine: nothing observes its methods. */
export function placeOfPristine(backend: object): NativeArchive | undefined {
  return isPristine(backend) ? placeOfOurs(backend) : undefined;
}

/** Where the bundles of a backend of ours are, a subclass or a changed one included. */
export function placeOfOurs(backend: object): NativeArchive | undefined {
  return backend instanceof DiskArchiveBackend
    ? (backend as unknown as { place: () => NativeArchive }).place()
    : undefined;
}
