// The one CommonJS build serves `import` too, so that both share one memory.
import testing from './dist/testing.js';

export const { __resetSeenLegacyForTests, tempStore } = testing;
