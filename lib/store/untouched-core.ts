/** The way past the methods of a store of ours, when no spy would notice. */

import type { NativeStore } from '../native';
import { untouched } from '../untouched';
import { coreOf } from './core';
import { DiskSessionStore } from './disk';
import { InMemorySessionStore } from './memory';

const isUntouchedDisk = untouched(DiskSessionStore);
const isUntouchedMemory = untouched(InMemorySessionStore);

/**
 * The native half of a store that is exactly of one of our classes, with no method
 * overridden on the object, by a subclass, on a prototype or by a `Proxy`.
 */
export function untouchedCore(store: unknown): NativeStore | undefined {
  return isUntouchedDisk(store) || isUntouchedMemory(store) ? coreOf(store) : undefined;
}
