import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { rejection } from '../support/rejection.js';
import { sharedTempDir, tempRoot } from '../support/temp-root.js';
import { InstalledProject, ofRepository } from './installed-project.js';

const repositoryFolder = fileURLToPath(new URL('../../', import.meta.url));

describe.skipIf(process.platform === 'win32')('the packed packages, installed', () => {
  const folder = sharedTempDir();
  let project: InstalledProject;

  beforeAll(async () => {
    project = await InstalledProject.in(folder);
  }, 300_000);

  const installed = (...path: string[]) => join(project.dir, 'node_modules', ...path);
  const manifest = (...path: string[]) =>
    JSON.parse(readFileSync(installed(...path, 'package.json'), 'utf8'));

  it('need no Rust: there is none on the path', async () => {
    const look = "require('node:child_process').spawnSync('cargo').error?.code";
    expect(await project.node('--print', look)).toBe('ENOENT\n');
  });

  it('run as an ES module, and as CommonJS', async () => {
    const root = tempRoot();
    const { session, isolated } = JSON.parse(await project.node('esm.mjs', root));
    expect(isolated).toBe(true);
    expect(JSON.parse(await project.node('cjs.cjs', root, session))).toStrictEqual(['Hello']);
  });

  it.each([
    { module: 'node16', moduleResolution: 'node16' },
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])('have types for moduleResolution $moduleResolution, strict', async (resolution) => {
    for (const name of ['vitest', '@types/node']) {
      if (!existsSync(installed(name))) project.link(name);
    }
    // As both kinds of module, where the resolution tells them apart.
    cpSync(join(project.dir, 'types.ts'), join(project.dir, 'types.cts'));
    writeFileSync(
      join(project.dir, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { target: 'es2022', strict: true, noEmit: true, ...resolution },
        files: resolution.moduleResolution === 'bundler' ? ['types.ts'] : ['types.ts', 'types.cts'],
      }),
    );
    await project.node(ofRepository('typescript', 'bin', 'tsc'), '-p', '.');
  });

  it('run under vitest, the conformance kit included', async () => {
    if (!existsSync(installed('vitest'))) project.link('vitest');
    await project.node(
      ofRepository('vitest', 'vitest.mjs'),
      'run',
      '--reporter=json',
      '--outputFile=report.json',
    );
    const report = JSON.parse(readFileSync(join(project.dir, 'report.json'), 'utf8'));
    expect(report.success).toBe(true);
    expect(report.numPassedTests).toBeGreaterThan(500);
  }, 120_000);

  it('bring nothing else along', () => {
    const { packages } = JSON.parse(readFileSync(join(project.dir, 'package-lock.json'), 'utf8'));
    const names = Object.keys(packages).filter((name) => name !== '');
    expect(names).toHaveLength(2);
    const main = manifest('namzu-native');
    expect(main.dependencies).toBeUndefined();
    expect(main.scripts).toBeUndefined();
    expect(Object.keys(main.peerDependenciesMeta)).toStrictEqual(['vitest']);
    expect(existsSync(installed('namzu-native', 'native'))).toBe(false);
  });

  it('have everything that their documents link to', () => {
    const documents = readdirSync(installed('namzu-native'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((name) => name.endsWith('.md'));
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'SECURITY.md', 'CHANGELOG.md']));
    // Pages for people who change the code.
    for (const page of ['engine.md', 'testing.md'])
      expect(documents).not.toContain(join('docs', page));
    const dead = documents.flatMap((document) => {
      const text = readFileSync(installed('namzu-native', document), 'utf8');
      const links = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(
        ([, target]) => target as string,
      );
      return links
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(installed('namzu-native', dirname(document), target)))
        .map((target) => `${document}: ${target}`);
    });
    expect(dead).toStrictEqual([]);
  });

  it('begin with how to install it, and with a first program', () => {
    const readme = readFileSync(installed('namzu-native', 'README.md'), 'utf8');
    const [first, second, third] = [...readme.matchAll(/```\w+\n([\s\S]*?)```/g)].map(
      ([, code]) => code as string,
    );
    expect(first).toBe('npm install namzu-native\n');
    expect(second).toContain('new DiskSessionStore(');
    expect(third).toMatch(/^npm run demo .*\nnpm test /);
  });

  it('say where they come from, in the words of one place', () => {
    const { repository } = JSON.parse(readFileSync(`${repositoryFolder}package.json`, 'utf8'));
    const home = repository.url.replace(/^git\+|\.git$/g, '');
    const packages = readdirSync(installed()).filter((name) => name.startsWith('namzu-native'));
    expect(packages).toHaveLength(2);
    for (const name of packages) {
      expect(manifest(name)).toMatchObject({
        repository,
        homepage: `${home}#readme`,
        bugs: `${home}/issues`,
      });
    }
  });

  it('say which package is missing where there is none for the platform', async () => {
    const [platform] = Object.keys(manifest('namzu-native').optionalDependencies).filter((name) =>
      existsSync(installed(name)),
    );
    rmSync(installed(platform as string), { recursive: true });
    const error = await rejection(project.node('--eval', "require('namzu-native')"));
    expect(error.message).toContain(`${process.platform}-${process.arch}`);
    expect(error.message).toContain(`install the optional package ${platform}`);
    expect(error.message).toContain('build it from source with "npm run build"');
  });
});
