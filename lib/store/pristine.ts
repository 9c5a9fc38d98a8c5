/** The way past the methods of a store of ours, when no spy would notice. */

import type { NativeStore } from '../native';
import { pristine } from '../pristine';
import { coreOf } from './core';
import { DiskSessionStore } from './disk';
import { InMemorySessionStore } from './memory';

const isPristineDisk = pristine(DiskSessionStore);
const isPristineMemory = pristine(InMemorySessionStore);

/**
 * The native half of a store that is exactly of one of our classes, with no method
 * overridden on the object, by a subclass, on a prototype or by a `Proxy`.
 */
export function pristineCore(store: unknown): NativeStore | undefined {
  return isPristineDisk(store) || isPristineMemory(store) ? coreOf(store) : undefined;
}
