import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanEnvironment } from '../support/environment.js';
import { rejection } from '../support/rejection.js';
import { sharedTempDir, tempDir, tempRoot } from '../support/temp-root.js';
import { InstalledProject } from './installed-project.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const GREETING = ['Hello', true, 'TenantIsolationError', 'tnt_other'];
const ANSWER = { disk: GREETING, memory: GREETING };

/** Runs a program from a folder that has nothing to do with it. */
async function run(program: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, tempRoot()], {
    cwd: tempDir(),
    env: cleanEnvironment(),
  });
  return JSON.parse(stdout);
}

async function tool(script: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [here(script), ...args], {
    env: cleanEnvironment(),
  });
  return stdout;
}

describe.skipIf(process.platform === 'win32')('the packed packages, bundled and traced', () => {
  const folder = sharedTempDir();
  let project: InstalledProject;

  beforeAll(async () => {
    project = await InstalledProject.in(folder);
    // Top-level await is for ES modules alone.
    const program = readFileSync(join(project.dir, 'program.mjs'), 'utf8');
    const [imports, rest] = program.split("\nconst TENANT = 'tnt_bundled';\n") as [string, string];
    writeFileSync(
      join(project.dir, 'wrapped.mjs'),
      `${imports}\nconst TENANT = 'tnt_bundled';\nasync function main() {\n${rest}}\nmain();\n`,
    );
  }, 300_000);

  const installed = (...path: string[]) => join(project.dir, 'node_modules', ...path);

  async function bundled(bundler: string, extension = 'cjs'): Promise<string> {
    const source = join(project.dir, extension === 'cjs' ? 'wrapped.mjs' : 'program.mjs');
    const output = join(project.dir, 'out', `${bundler.replaceAll(/\W+/g, '-')}.${extension}`);
    mkdirSync(dirname(output), { recursive: true });
    await tool('./bundlers.mjs', bundler, source, output);
    return output;
  }

  it.each([
    ['esbuild, cjs', 'cjs'],
    ['esbuild, cjs, minified', 'cjs'],
    ['esbuild, esm', 'mjs'],
    ['esbuild, esm, all names', 'mjs'],
    ['Rollup, esm', 'mjs'],
    ['Rollup, cjs', 'cjs'],
    ['webpack, cjs', 'cjs'],
    ['webpack, esm', 'mjs'],
    ['Vite SSR', 'mjs'],
    ['Vite SSR, nothing external', 'mjs'],
  ])('a program runs that %s made one file of', async (bundler, extension) => {
    const program = await bundled(bundler, extension);
    expect(await run(program)).toStrictEqual(ANSWER);
  });

  it('a bundled program runs elsewhere, with nothing but the package of the platform beside it', async () => {
    const elsewhere = tempDir();
    const program = join(elsewhere, 'program.cjs');
    cpSync(await bundled('esbuild, cjs'), program);
    const error = await rejection(run(program));
    expect(error.message).toContain('put it beside a bundled program (see docs/bundlers.md');

    const [platform] = platformPackages(project);
    cpSync(installed(platform), join(elsewhere, 'node_modules', platform), { recursive: true });
    expect(await run(program)).toStrictEqual(ANSWER);
  });

  it('a bundled program runs where packages see their own dependencies alone, as pnpm has it', async () => {
    const apart = tempDir();
    const store = join(apart, 'node_modules', '.store', 'namzu-native', 'node_modules');
    for (const name of ['namzu-native', ...platformPackages(project)]) {
      cpSync(installed(name), join(store, name), { recursive: true });
    }
    symlinkSync(join(store, 'namzu-native'), join(apart, 'node_modules', 'namzu-native'));
    for (const [bundler, extension] of [
      ['esbuild, cjs', 'cjs'],
      ['Rollup, esm', 'mjs'],
    ] as const) {
      const program = join(apart, `program.${extension}`);
      cpSync(await bundled(bundler, extension), program);
      expect(await run(program)).toStrictEqual(ANSWER);
    }
  });

  it.each(['program.mjs', 'required.cjs'])('a traced copy of %s runs', async (name) => {
    writeFileSync(
      join(project.dir, 'required.cjs'),
      "require('namzu-native');\nrequire('namzu-native/testing');\nimport('./program.mjs');\n",
    );
    const files: string[] = JSON.parse(await tool('./trace.mjs', project.dir, name));
    const copy = tempDir();
    for (const file of files) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(project.dir, file), join(copy, file));
    }
    const [platform] = platformPackages(project);
    expect(files).toContain(`node_modules/${platform}/package.json`);
    expect(await run(join(copy, name))).toStrictEqual(ANSWER);
  });
});

function platformPackages(project: InstalledProject): [string] {
  const { packages } = JSON.parse(readFileSync(join(project.dir, 'package-lock.json'), 'utf8'));
  const names = Object.keys(packages).map((path) => path.replace('node_modules/', ''));
  return names.filter((name) => name.startsWith('namzu-native-')) as [string];
}
