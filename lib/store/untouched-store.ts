/** The way past the methods of a store of ours that nobody laid hands on. */

import type { NativeStore } from '../native';
import { untouched } from '../untouched';
import { coreOf } from './core';
import { DiskSessionStore } from './disk';
import { InMemorySessionStore } from './memory';

const isUntouchedDisk = untouched(DiskSessionStore);
const isUntouchedMemory = untouched(InMemorySessionStore);

/** The native half of a store, when nobody would notice that its methods are passed by. */
export function untouchedStore(store: unknown): NativeStore | undefined {
  return isUntouchedDisk(store) || isUntouchedMemory(store) ? coreOf(store) : undefined;
}
