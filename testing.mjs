import { createRequire } from 'node:module';

// The one CommonJS build serves `import` too, so that both share one memory.
export const { __resetSeenLegacyForTests } = createRequire(import.meta.url)('./dist/testing.js');
