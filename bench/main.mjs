// `npm run bench -- --help` says how to run it, README.md how to read it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findBaselines } from './baselines/index.mjs';
import { largeRoots } from './cases/large-roots.mjs';
import { groupsToRun } from './groups.mjs';
import { describeMachine } from './machine.mjs';
import { installPeers } from './peers/install.mjs';
import { judge, printJudgements, writeJson } from './report.mjs';

const USAGE = `npm run bench [-- options]

  --quick        fewer and shorter rounds, smaller roots: under 2 minutes, wider spread
  --only text    only the figures whose name, or whose group's title, contains this text
  --json file    also write the figures, with the machine and the versions
  --no-install   compare with better-sqlite3 and lmdb only where they are installed already
  --dir path     put the stores of kind disk here (default: the system's temporary directory)
  --help         this text

  BENCH_PEER=<path or name>  compare also with this package's DiskSessionStore and InMemorySessionStore`;

const EFFORT = {
  rounds: 24,
  roundMilliseconds: 25,
  processes: 11,
  families: 10,
  lives: 9,
  trees: 3,
  tree: { depth: 4, width: 8 },
  rootEdges: [100, 1000, 10_000, 100_000],
  sweptEdges: 1000,
  heldSessions: 20_000,
  logMessages: 1_000_000,
};
const QUICK_EFFORT = {
  rounds: 5,
  roundMilliseconds: 5,
  processes: 3,
  families: 2,
  lives: 3,
  trees: 1,
  tree: { depth: 2, width: 8 },
  rootEdges: [100, 1000],
  sweptEdges: 50,
  heldSessions: 1000,
  logMessages: 10_000,
};

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        json: { type: 'string' },
        'no-install': { type: 'boolean', default: false },
        dir: { type: 'string', default: tmpdir() },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(1);
  }
}

const options = readOptions();
if (options.help) {
  console.log(USAGE);
  process.exit(0);
}

const started = new Date();
const effort = options.quick ? QUICK_EFFORT : EFFORT;
// npm runs scripts in the package's directory; paths are meant from where the user typed them.
const typedIn = process.env.npm_lifecycle_event === 'bench' ? process.env.INIT_CWD : undefined;
const fromUser = (path) => resolve(typedIn ?? process.cwd(), path);
if (!options['no-install']) installPeers();
const directory = await mkdtemp(join(fromUser(options.dir), 'namzu-bench-'));
try {
  const { baselines, skipped } = await findBaselines(directory, fromUser('.'));
  const machine = { ...(await describeMachine(directory)), ...versionsOf(baselines) };
  console.log(
    Object.entries(machine)
      .map(([key, value]) => `${key}: ${value}`)
      .join('\n'),
  );
  for (const why of skipped) console.log(`skipped: ${why}`);
  const { only } = options;
  const run = { directory, effort, only, baselines, largeRoot: largeRoots(directory) };
  const groups = [];
  for (const measure of groupsToRun) {
    const began = Date.now();
    groups.push(...(await measure(run)));
    if (process.env.BENCH_TIMES) console.log(`[${measure.name}: ${(Date.now() - began) / 1000} s]`);
  }
  const targets = judge(groups);
  printJudgements(targets);
  const seconds = (Date.now() - started.getTime()) / 1000;
  console.log(`${Math.round(seconds)} s`);
  if (options.json !== undefined) {
    const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
    const about = { command, started: started.toISOString(), seconds, effort };
    await writeJson(fromUser(options.json), { ...about, machine, skipped, targets, groups });
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

function versionsOf(baselines) {
  return Object.fromEntries(
    baselines
      .filter(({ version }) => version !== undefined)
      .map(({ name, version }) => [name.split(' ')[0], version]),
  );
}
