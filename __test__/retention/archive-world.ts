import type {
  ArchivalManagerDeps,
  ArchiveBackend,
  ExtendedSessionStore,
  Session,
  SubSession,
  SubSessionTombstone,
} from 'namzu-native';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  InMemorySessionStore,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { describe } from 'vitest';
import { said } from '../extensions/stores.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';

/** A store with a session, its idle child of five messages and a summary, and an archive. */
export interface ArchiveWorld {
  readonly root: string;
  readonly store: ExtendedSessionStore;
  readonly backend: ArchiveBackend;
  readonly manager: ArchivalManager;
  readonly world: World;
  readonly parent: Session;
  readonly child: Session;
  readonly edge: SubSession;
  readonly tombstones: SubSessionTombstone[];
}

export function managerOf(
  store: ArchivalManagerDeps['sessionStore'],
  archiveBackend: ArchiveBackend,
  more: Partial<ConstructorParameters<typeof ArchivalManager>[0]> = {},
): ArchivalManager {
  const workspaceRegistry = new WorkspaceBackendRegistry();
  return new ArchivalManager({ sessionStore: store, workspaceRegistry, archiveBackend, ...more });
}

export async function archiveWorld(
  make: (root: string) => ExtendedSessionStore = diskStore,
  backendOf: (root: string) => ArchiveBackend = diskBackend,
): Promise<ArchiveWorld> {
  const root = tempRoot();
  const [store, backend] = [make(root), backendOf(root)];
  const world = await World.in(store);
  const [parent, child] = [await world.session(), await world.session()];
  const messages = ['a', 'b', 'c', 'd', 'e'].map(said);
  await store.appendMessages(child.id, messages, ALPHA, { idempotencyKey: 'k' });
  await store.recordSummary(world.summary(child), ALPHA);
  const edge = await world.change(await world.edge(parent, child), { status: 'idle' });
  const tombstones: SubSessionTombstone[] = [];
  const onArchived = (tombstone: SubSessionTombstone) => void tombstones.push(tombstone);
  const manager = managerOf(store, backend, { onArchived });
  return { root, store, backend, manager, world, parent, child, edge, tombstones };
}

export const diskStore = (rootDir: string) => new DiskSessionStore({ rootDir });
export const memoryStore = () => new InMemorySessionStore();
export const diskBackend = (rootDir: string) =>
  new DiskArchiveBackend({ rootDir, durability: 'relaxed' });

export function describeStores(tests: (make: (root: string) => ExtendedSessionStore) => void) {
  describe('DiskSessionStore', () => tests(diskStore));
  describe('InMemorySessionStore', () => tests(memoryStore));
}
