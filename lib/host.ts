/**
 * The way from the core to an application's own objects: a store, a driver, a
 * sink.
 *
 * The core names an object, a method and the arguments as JSON, and awaits the
 * answer as JSON. A method is looked up when it is called, and called on its
 * object. What it throws stays here under a number: the core passes that on, and
 * the caller gets the identical value.
 *
 * A `Host` serves one operation. Its objects are held by that operation alone,
 * for as long as it runs; the core has no more than a weak way to them, so that
 * a plug-in that refers to its store is no leak and keeps no process alive.
 */

import { types } from 'node:util';
import { publicError } from './errors/from-native';
import type { HostCall } from './native';

/** What the core learns of a value that was thrown. */
interface ThrownAccount {
  /** Where the value itself is kept. */
  readonly thrown: number;
  readonly name: string;
  readonly message: string;
  readonly details?: unknown;
}

/** An object by the name that the core has for it, looked up each time it is called. */
export type HostObjects = Readonly<Record<string, () => object>>;

/**
 * What to do to the arguments of a method, named as `'object.method'`, before
 * it is called: JSON knows no dates.
 */
export type Revivers = Readonly<Record<string, (args: never) => unknown>>;

/** An application's objects, for one operation of the core. */
export class Host {
  readonly #objects: HostObjects;
  readonly #revivers: Revivers;
  readonly #thrown: unknown[] = [];

  constructor(objects: HostObjects, revivers: Revivers = {}) {
    this.#objects = objects;
    this.#revivers = revivers;
  }

  /** Runs a native operation. It throws what the operation's caller is to get. */
  async run<T>(operation: (call: HostCall) => T | Promise<T>): Promise<T> {
    const weak = new WeakRef(this);
    try {
      return await operation(async (object, method, argumentsJson) => {
        const host = weak.deref();
        if (host === undefined) throw new Error('The operation has ended');
        return host.#call(object, method, argumentsJson);
      });
    } catch (error) {
      throw publicError(error, this.#thrown);
    }
  }

  async #call(object: string, method: string, argumentsJson: string): Promise<string> {
    try {
      const args = JSON.parse(argumentsJson);
      this.#revivers[`${object}.${method}`]?.(args as never);
      const target = this.#objects[object]?.() as object;
      const answer = await Reflect.apply(Reflect.get(target, method), target, args);
      return JSON.stringify(answer) ?? '';
    } catch (error) {
      const thrown = this.#thrown.push(error) - 1;
      return `!${JSON.stringify({ thrown, ...account(error) })}`;
    }
  }
}

/** What was thrown, in words. It may be anything, down to an object that throws when looked at. */
function account(error: unknown): Omit<ThrownAccount, 'thrown'> {
  const field = (key: string) => attempt(() => (error as Record<string, unknown>)[key]);
  const [name, details] = [field('name'), field('details')];
  return {
    name: typeof name === 'string' ? name : '',
    message: attempt(() => String(isError(error) ? error.message : error)) ?? 'no text',
    ...(attempt(() => JSON.stringify(details)) === undefined ? {} : { details }),
  };
}

/** Whether this is an error, of whatever realm. */
export function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
