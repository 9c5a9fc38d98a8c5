/**
 * Makes one file of a program with the bundlers that applications use, with no option that
 * concerns this package: nothing is named as external.
 *
 *   node bundlers.mjs <bundler> <program> <output>
 */

import { dirname, resolve } from 'node:path';
import commonjs from '@rollup/plugin-commonjs';
import nodeResolve from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';
import { rollup } from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';

/** What the documents of esbuild give programs that are ES modules and use CommonJS packages. */
const REQUIRE = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);`;

/** The same, with the two other names that CommonJS has. */
const FILE_AND_FOLDER = `import { createRequire } from 'node:module';
import { dirname as folderOf } from 'node:path';
import { fileURLToPath as pathOf } from 'node:url';
const require = createRequire(import.meta.url);
const __filename = pathOf(import.meta.url);
const __dirname = folderOf(__filename);`;

const BUNDLERS = {
  'esbuild, cjs': withEsbuild({ format: 'cjs' }),
  'esbuild, cjs, minified': withEsbuild({ format: 'cjs', minify: true }),
  'esbuild, esm': withEsbuild({ format: 'esm', banner: { js: REQUIRE } }),
  'esbuild, esm, all names': withEsbuild({ format: 'esm', banner: { js: FILE_AND_FOLDER } }),
  'Rollup, esm': withRollup('es'),
  'Rollup, cjs': withRollup('cjs'),
  'webpack, cjs': withWebpack({}, 'commonjs2'),
  'webpack, esm': withWebpack({ experiments: { outputModule: true } }, 'module'),
  'Vite SSR': withVite({}),
  'Vite SSR, nothing external': withVite({ ssr: { noExternal: true } }),
};

const [bundler, program, output] = process.argv.slice(2);
await BUNDLERS[bundler](program, output);

/** Programs await at their top level, which a CommonJS file cannot: they are wrapped. */
function withEsbuild(options) {
  return async (program, outfile) => {
    const { warnings } = await esbuild.build({
      entryPoints: [program],
      outfile,
      bundle: true,
      platform: 'node',
      logLevel: 'silent',
      ...options,
    });
    if (warnings.length > 0) throw new Error(JSON.stringify(warnings, null, 2));
  };
}

function withRollup(format) {
  return async (program, file) => {
    const build = await rollup({
      input: program,
      plugins: [nodeResolve({ preferBuiltins: true }), commonjs()],
      onwarn(warning) {
        throw new Error(warning.message);
      },
    });
    await build.write({ file, format });
  };
}

function withWebpack(options, libraryType) {
  return (program, output) =>
    new Promise((done, fail) => {
      const settings = {
        mode: 'production',
        target: 'node20',
        entry: program,
        output: {
          path: dirname(output),
          filename: output.slice(dirname(output).length + 1),
          library: { type: libraryType },
        },
        ...options,
      };
      webpack(settings, (error, stats) => {
        if (error) fail(error);
        else if (stats.hasErrors() || stats.hasWarnings()) fail(new Error(stats.toString()));
        else done();
      });
    });
}

function withVite(options) {
  return (program, output) =>
    vite.build({
      root: dirname(program),
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: program,
        outDir: resolve(dirname(output)),
        emptyOutDir: false,
        rollupOptions: { output: { entryFileNames: output.slice(dirname(output).length + 1) } },
      },
      ...options,
    });
}
