/** What `console.log`, a debugger and a REPL show of a store. */

import type { InspectOptions } from 'node:util';
import { sourceOf } from './core';

type Inspect = (value: unknown, options: InspectOptions) => string;

/**
 * Shows the class of a store, where it keeps its records, whether it is open, and
 * what an application added to it: `DiskSessionStore { rootDir: '/data', … }`.
 *
 * Not a method of the class in TypeScript, which would make every application need
 * the types of Node.js.
 */
export function showInside(storeClass: { prototype: object }): void {
  Object.defineProperty(storeClass.prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value: show,
    writable: true,
    configurable: true,
  });
}

function show(this: object, depth: number, options: InspectOptions, inspect: Inspect): string {
  const { name } = this.constructor;
  // A prototype may be looked at as well, and is no store.
  const source = sourceOf(this);
  if (source === undefined || depth < 0) return `[${name}]`;
  const { about, closed } = source;
  const state = closed === true ? 'closed' : 'open';
  return `${name} ${inspect({ ...about, state, ...this }, options)}`;
}
