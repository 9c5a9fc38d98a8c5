/**
 * Bundles `lib/` into few CommonJS files: one for each entry point, and what these share.
 * Loading one file takes a fraction of the time of loading eighty.
 *
 *   node scripts/bundle.mjs <folder>
 */

import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { rollup } from 'rollup';
import ts from 'typescript';
import { ROOT } from './run.mjs';

const LIB = join(ROOT, 'lib');

/** The entry points, by the name of their file in `dist/`. */
const ENTRIES = { index: join(LIB, 'index.ts'), testing: join(LIB, 'testing.ts') };

await bundle(process.argv[2]);

/** Writes the bundle of every entry point to a folder. */
async function bundle(folder) {
  const build = await rollup({
    input: ENTRIES,
    external: isBuiltin,
    plugins: [typescript(), manifest()],
    onwarn(warning) {
      throw new Error(`The bundle: ${warning.message}`);
    },
  });
  await build.write({
    dir: folder,
    format: 'cjs',
    exports: 'named',
    // Importers get the exports as they are, whatever bundler loads them.
    esModule: false,
    externalLiveBindings: false,
    freeze: false,
    interop: 'default',
    chunkFileNames: 'shared.js',
    generatedCode: { preset: 'es2015', symbols: false },
  });
  await build.close();
}

/** Resolves imports without an extension and takes the types out; the lints check them. */
function typescript() {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    isolatedModules: true,
    removeComments: true,
  };
  return {
    name: 'typescript',
    resolveId(source, importer) {
      if (!source.startsWith('.') || importer === undefined) return null;
      const path = resolve(dirname(importer), source);
      const found = [`${path}.ts`, join(path, 'index.ts'), path].find((file) => existsSync(file));
      if (found === undefined) throw new Error(`${relative(ROOT, importer)}: no ${source}`);
      return found;
    },
    transform(code, fileName) {
      if (!fileName.endsWith('.ts')) return null;
      return {
        code: ts.transpileModule(code, { compilerOptions, fileName }).outputText,
        map: null,
      };
    },
  };
}

/** Makes the version of the package's manifest one that can be imported. */
function manifest() {
  const path = join(ROOT, 'package.json');
  return {
    name: 'manifest',
    load(id) {
      if (id !== path) return null;
      const { version } = JSON.parse(readFileSync(path, 'utf8'));
      return `export const version = ${JSON.stringify(version)};`;
    },
  };
}
