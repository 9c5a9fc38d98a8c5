import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests import the package by its name, as an application does.
    alias: [
      { find: /^namzu-native$/, replacement: here('./index.mjs') },
      { find: /^namzu-native\/conformance$/, replacement: here('./conformance/index.mts') },
      { find: /^namzu-native\/testing$/, replacement: here('./testing.mjs') },
    ],
  },
  test: {
    include: ['__test__/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
