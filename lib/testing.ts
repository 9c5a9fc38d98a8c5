/** What only tests need; the entry point `namzu-native/testing`. */

import { native } from './native';

/** Forgets which ids with a former prefix this process has warned of. */
export function __resetSeenLegacyForTests(): void {
  native.forgetLegacyIds();
}
