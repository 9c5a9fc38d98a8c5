import type { ArchivalManager, ArchiveBackend, ExtendedSessionStore, TenantId } from 'namzu-native';
import { managerOf } from '../retention/archive-world.js';

/** What a name of the comparison stands for. */
export type Kind = 'prj' | 'ses' | 'sub' | 'msg';

const STORE_MADE_ID = /\b(?:prj|ses|sub|msg|arc)_[0-9a-z]{12}\b/g;

/**
 * One of the stores that are compared. Stores make ids of their own and stamp times of their own;
 * a twin gives both a name that is the same for every store.
 */
export class Twin {
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();
  /** Each record as its creation answered it, by name. */
  readonly records = new Map<string, object>();

  readonly manager: ArchivalManager;

  constructor(
    readonly label: string,
    readonly store: ExtendedSessionStore,
    readonly backend: ArchiveBackend,
    readonly startedAt: number,
  ) {
    this.manager = managerOf(store, backend);
  }

  /** The same names over another store, which holds the same records. */
  over(store: ExtendedSessionStore, label: string): Twin {
    const twin = new Twin(label, store, this.backend, this.startedAt);
    for (const [id, name] of this.#names) twin.learn(name, id);
    return twin;
  }

  /** Keeps what a creation answered, an id or a record with one, under a name. */
  learn(name: string, created: unknown): void {
    const id = typeof created === 'string' ? created : Reflect.get(Object(created), 'id');
    this.#ids.set(name, id as string);
    this.#names.set(id as string, name);
    if (typeof created === 'object' && created !== null) this.records.set(name, created);
  }

  /** The id behind a name; what is no name stands for itself. */
  id<T extends string>(name: T): T {
    return (this.#ids.get(name) ?? name) as T;
  }

  /** The name of an id; one that no call was made for is named when it is met first. */
  name(id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = `met#${this.#names.size}`;
    this.#names.set(id, name);
    return name;
  }

  /** The outcome of a call as text without ids and times that differ from store to store. */
  async outcome(promise: Promise<unknown>): Promise<string> {
    try {
      return this.text(await promise);
    } catch (error) {
      if (!(error instanceof Error)) return `threw ${this.text(error)}`;
      const { name, message } = error;
      return `threw ${this.text({ name, message, details: Reflect.get(error, 'details') })}`;
    }
  }

  text(value: unknown): string {
    return this.#readable(value, '').replace(STORE_MADE_ID, (id) => this.name(id));
  }

  #readable(value: unknown, indent: string): string {
    if (value instanceof Date) return this.#time(value);
    if (typeof value !== 'object' || value === null) {
      return typeof value === 'string' ? JSON.stringify(value) : String(value);
    }
    const inner = `${indent}  `;
    const entries = Object.entries(value).map(
      ([key, property]) => `\n${inner}${key}: ${this.#readable(property, inner)}`,
    );
    return `${Array.isArray(value) ? 'Array' : 'Object'} {${entries.join('')}\n${indent}}`;
  }

  #time(date: Date): string {
    return date.getTime() >= this.startedAt ? 'now' : date.toISOString();
  }
}

/** A tenant as a call passes it, which may be none at all. */
export type AnyTenant = TenantId | '' | undefined;
