/**
 * Runs the tests wherever users are: the whole TypeScript suite on each version of
 * Node.js, part of it in each of vitest's pools, and the smoke test on Bun and Deno.
 * The runtimes come as npm packages, so that this needs the network once.
 *
 *   npm run test:runtimes                    everything
 *   npm run test:runtimes -- node@24 deno    some of it
 */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed, main, ROOT, run, runNode, runNpm } from './run.mjs';
import { setup } from './setup.mjs';

const VITEST = 'node_modules/vitest/vitest.mjs';

/** Tests that are quick and use threads, plug-ins, errors of every kind and the event loop. */
const POOL_TESTS = ['manners', 'extensions', 'handoff/single', 'drop-in'];

const POOLS = ['threads', 'forks', 'vmThreads', 'vmForks'];

const RUNS = {
  ...Object.fromEntries(
    ['20', '22', '24', '26'].map((version) => [`node@${version}`, suiteOn(version)]),
  ),
  'deep messages': deepMessages,
  ...Object.fromEntries(POOLS.flatMap(poolRuns)),
  bun: () => smoke('bun', ['run'], bundleWithBun),
  deno: () => smoke('deno', ['run', '--allow-all']),
};

main(() => {
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(RUNS);
  const unknown = wanted.filter((name) => RUNS[name] === undefined);
  if (unknown.length > 0) {
    throw new CommandFailed(
      `${unknown.join(', ')}: nothing is called that; there are ${Object.keys(RUNS).join(', ')}`,
    );
  }
  setup();
  const failed = wanted.filter((name) => !passes(name));
  if (failed.length > 0) throw new CommandFailed(`failed on: ${failed.join(', ')}`);
  console.log(`\nEverything holds on ${wanted.join(', ')}.`);
});

/** One that fails does not keep the others from running. */
function passes(name) {
  console.log(`\n── ${name}`);
  try {
    RUNS[name]();
    return true;
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    console.error(`✗ ${error.message}`);
    return false;
  }
}

/**
 * What one release of Node.js accepts the others read: they differ in how deep `JSON.stringify` goes.
 */
function deepMessages() {
  for (const [writer, reader] of [
    ['26', '20'],
    ['20', '26'],
  ]) {
    const root = mkdtempSync(join(tmpdir(), 'namzu-native-deep-'));
    try {
      for (const [version, task] of [
        [writer, 'write'],
        [reader, 'read'],
      ]) {
        const script = ['node', '__test__/children/deep-messages.mjs', task, root];
        runNpm(['exec', '--yes', `--package=node@${version}`, '--', ...script]);
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
}

function suiteOn(version) {
  return () => runNpm(['exec', '--yes', `--package=node@${version}`, '--', 'node', VITEST, 'run']);
}

/** A pool with its tests apart from each other, and together. */
function poolRuns(pool) {
  const vitest = (...options) =>
    runNode(VITEST, ['run', `--pool=${pool}`, ...options, ...POOL_TESTS]);
  // The pools that isolate by a context of V8 cannot do without.
  if (pool.startsWith('vm')) return [[pool, () => vitest()]];
  return [
    [pool, () => vitest('--isolate')],
    [`${pool}-shared`, () => vitest('--no-isolate')],
  ];
}

/** Installs the packed packages and a runtime into an empty project, and runs the smoke test. */
function smoke(runtime, args, more = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), 'namzu-native-smoke-'));
  try {
    const [project, tarballs, data] = ['project', 'tarballs', 'data'].map((name) => {
      mkdirSync(join(folder, name));
      return join(folder, name);
    });
    runNode('scripts/pack.mjs', [tarballs]);
    cpSync(join(ROOT, '__test__', 'smoke'), project, { recursive: true });
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    const packed = readdirSync(tarballs).map((name) => join(tarballs, name));
    runNpm(['install', '--prefix', project, '--no-audit', '--no-fund', ...packed, runtime]);
    const program = join(project, 'node_modules', '.bin', runtime);
    const { status } = spawnSync(program, [...args, 'smoke.mjs', data], {
      cwd: project,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new CommandFailed(`the smoke test on ${runtime}: exit code ${status}`);
    more(program, project, data);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes one file of a program with Bun's bundler, for Bun and for Node.js, and runs it. */
function bundleWithBun(bun, project, data) {
  cpSync(
    join(ROOT, '__test__', 'packaging', 'project', 'program.mjs'),
    join(project, 'program.mjs'),
  );
  for (const [target, runner] of [
    ['bun', bun],
    ['node', process.execPath],
  ]) {
    const output = join(project, `bundled-${target}.mjs`);
    run(bun, ['build', join(project, 'program.mjs'), `--target=${target}`, `--outfile=${output}`]);
    run(runner, [output, join(data, `bundled-${target}`)]);
  }
}
