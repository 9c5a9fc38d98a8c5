/** Stores, backends and managers as applications have them: ours, wrapped, and hand-written. */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ArchivalManager,
  ArchiveNotFoundError,
  DiskArchiveBackend,
  DiskSessionStore,
  WorkspaceBackendRegistry,
} from 'namzu-native';

/** An application's own backend: a file a bundle, far away, so that every call takes a while. */
export class SlowBackend {
  kind = 'slow';
  #made = 0;

  constructor(folder, name, random) {
    this.folder = folder;
    this.name = name;
    this.random = random;
    mkdirSync(folder, { recursive: true });
  }

  async store(input) {
    const text = JSON.stringify(input);
    await sleep(this.random() * 30);
    this.#made += 1;
    const archiveRef = `arc_${this.name}x${this.#made}`;
    const file = join(this.folder, archiveRef);
    writeFileSync(`${file}.tmp`, text);
    renameSync(`${file}.tmp`, file);
    await sleep(this.random() * 10);
    return { archiveRef, archivedAt: new Date() };
  }

  async restore(archiveRef) {
    await sleep(this.random() * 15);
    let text;
    try {
      text = readFileSync(join(this.folder, archiveRef), 'utf8');
    } catch {
      throw new ArchiveNotFoundError({ archiveRef, reason: 'missing' });
    }
    const input = JSON.parse(text);
    for (const message of input.messages) message.at = new Date(message.at);
    return input;
  }
}

class OwnStore extends DiskSessionStore {
  async loadSessionMessages(...args) {
    return super.loadSessionMessages(...args);
  }
}

class OwnBackend extends DiskArchiveBackend {
  async store(input) {
    return super.store(input);
  }
}

class OwnManager extends ArchivalManager {
  async archive(...args) {
    return super.archive(...args);
  }
}

/** As `vi.spyOn` does: an own property that calls what it stands before. */
function spied(object, ...methods) {
  for (const method of methods) {
    const original = object[method];
    object[method] = function (...args) {
      return original.apply(this, args);
    };
  }
  return object;
}

/** How an object of ours can be given to the manager. */
const STORES = {
  ours: (config) => new DiskSessionStore(config),
  proxy: (config) => new Proxy(new DiskSessionStore(config), {}),
  subclass: (config) => new OwnStore(config),
  spied: (config) => spied(new DiskSessionStore(config), 'getSubSession', 'updateSubSession'),
};
const BACKENDS = {
  ours: (config) => new DiskArchiveBackend(config),
  proxy: (config) => new Proxy(new DiskArchiveBackend(config), {}),
  subclass: (config) => new OwnBackend(config),
  spied: (config) => spied(new DiskArchiveBackend(config), 'store', 'restore'),
};
const MANAGERS = {
  ours: (deps) => new ArchivalManager(deps),
  subclass: (deps) => new OwnManager(deps),
};

export const KINDS = {
  store: Object.keys(STORES),
  backend: Object.keys(BACKENDS),
  manager: Object.keys(MANAGERS),
};

export const storeOf = (kind, config) => STORES[kind](config);

/** The backend of a place, which is `ours`, below the root, or `slow`. */
export function backendOf(place, { kind, rootDir, folder, durability, name, random }) {
  if (place === 'slow') return new SlowBackend(folder, name, random);
  return BACKENDS[kind]({ rootDir, durability });
}

export function managerOf(kind, sessionStore, archiveBackend) {
  const workspaceRegistry = new WorkspaceBackendRegistry();
  return MANAGERS[kind]({ sessionStore, workspaceRegistry, archiveBackend });
}
