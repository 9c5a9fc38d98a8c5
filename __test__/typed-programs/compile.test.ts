import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-root.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const repository = here('../../');

/** The oldest release of TypeScript that is supported, the one that we develop with, the newest. */
const COMPILERS = ['typescript-oldest', 'typescript', 'typescript-newest'];

/** Nothing of Node.js or the DOM is declared, and every declaration file is checked. */
const STRICTEST = {
  target: 'es2022',
  lib: ['es2022'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
};

const RESOLUTIONS = {
  node16: { module: 'node16', moduleResolution: 'node16' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
  node10: { module: 'commonjs', moduleResolution: 'node10' },
};

/** Compiles programs in a project that has this package and no other, and answers what is wrong. */
async function compile(compiler: string, options: object, programs: string[]): Promise<string> {
  const project = tempDir();
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(repository, join(project, 'node_modules', 'namzu-native'), 'junction');
  for (const name of programs) cpSync(here(name), join(project, name));
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...STRICTEST, ...options }, files: programs }),
  );
  const tsc = join(repository, 'node_modules', compiler, 'bin', 'tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', project]);
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe.each(COMPILERS)('with %s, strict, and no types but ours', (compiler) => {
  const { version } = JSON.parse(
    readFileSync(join(repository, 'node_modules', compiler, 'package.json'), 'utf8'),
  );

  it.each(['of-the-original.mts', 'option-bags.mts'])(
    `%s compiles (TypeScript ${version})`,
    async (program) => {
      expect(await compile(compiler, RESOLUTIONS.node16, [program])).toBe('');
    },
  );

  it('the programs compile with what Node.js and the DOM declare as well', async () => {
    const typeRoots = [join(repository, 'node_modules', '@types')];
    const options = { lib: ['esnext', 'dom'], types: ['node'], typeRoots, skipLibCheck: false };
    const programs = ['of-the-original.mts', 'option-bags.mts'];
    expect(await compile(compiler, { ...RESOLUTIONS.node16, ...options }, programs)).toBe('');
  });

  it('every entry point resolves as bundlers do it', async () => {
    expect(await compile(compiler, RESOLUTIONS.bundler, ['node10.ts'])).toBe('');
  });

  it.skipIf(Number.parseInt(version, 10) > 5)(
    'every entry point resolves under node10',
    async () => {
      expect(await compile(compiler, RESOLUTIONS.node10, ['node10.ts'])).toBe('');
    },
  );
});
