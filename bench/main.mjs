// `npm run bench -- --help` says how to run it, README.md how to read it.

import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findBaselines } from './baselines/index.mjs';
import { largeRoots } from './cases/large-roots.mjs';
import { groupsToRun } from './groups.mjs';
import { describeMachine } from './machine.mjs';
import { installPeers } from './peers/install.mjs';
import { record } from './record.mjs';
import { countByOrigin, printJudgements, writeJson } from './report.mjs';
import { judgements, leaveOutSyncs } from './targets.mjs';

const USAGE = `npm run bench [-- options]

  --quick        fewer and shorter rounds, smaller roots: under 2 minutes, wider spread
  --only text    only the figures whose name, or whose group's title, contains this text
  --json file    where the figures are written, with the machine and the versions
                 (default: target/bench/<date>.json)
  --no-install   compare with better-sqlite3 and lmdb only where they are installed already
  --dir path     put the stores of kind disk here (default: the system's temporary directory)
  --help         this text

  BENCH_PEER=<path or name>  compare also with this package's DiskSessionStore and InMemorySessionStore`;

const EFFORT = {
  rounds: 24,
  shownRounds: 12,
  roundMilliseconds: 25,
  processes: 11,
  families: 10,
  lives: 9,
  trees: 2,
  tree: { depth: 4, width: 8 },
  rootEdges: [100, 1000, 10_000, 100_000],
  memoryEdges: [1000, 10_000, 100_000],
  sweptEdges: 1000,
  heldSessions: 20_000,
  logMessages: 1_000_000,
};
const QUICK_EFFORT = {
  rounds: 5,
  shownRounds: 3,
  roundMilliseconds: 5,
  processes: 3,
  families: 2,
  lives: 3,
  trees: 1,
  tree: { depth: 2, width: 8 },
  rootEdges: [100, 1000],
  memoryEdges: [10_000],
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
const json = options.json === undefined ? defaultJson() : fromUser(options.json);
const directory = mkdtempSync(join(fromUser(options.dir), 'namzu-bench-'));
/** What the JSON says besides the figures, as soon as it is known. */
const about = { command: commandLine(), started: started.toISOString(), effort };
// However the run ends, what it has found so far is kept, and its directory is not.
process.on('uncaughtExceptionMonitor', (error) => {
  about.error = error.stack;
});
process.on('exit', () => {
  const targets = judgements(record);
  const seconds = (Date.now() - started.getTime()) / 1000;
  const end = { seconds, loadAverageAtEnd: loadavg(), counts: countByOrigin(targets) };
  writeJson(json, { ...about, ...end, targets, ...record });
  console.log(`\n${Math.round(seconds)} s, written to ${json}; removing the stores …`);
  rmSync(directory, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    about.error = signal;
    process.exit(1);
  });
}

const { baselines, skipped } = await findBaselines(directory, fromUser('.'));
const machine = { ...(await describeMachine(directory)), ...versionsOf(baselines) };
about.machine = machine;
record.skipped.push(...skipped);
for (const [key, value] of Object.entries(machine)) console.log(`${key}: ${value}`);
for (const why of skipped) console.log(`skipped: ${why}`);
if (machine.fileSystem.startsWith('tmpfs')) {
  leaveOutSyncs('the stores are in memory, where a sync costs nothing: point --dir at a disk');
}
const { only } = options;
const run = { directory, effort, only, baselines, largeRoot: largeRoots(directory) };
for (const measure of groupsToRun) {
  const began = Date.now();
  await measure(run);
  if (process.env.BENCH_TIMES) console.log(`[${measure.name}: ${(Date.now() - began) / 1000} s]`);
}
// Of a part of a run, only what it measured.
printJudgements(judgements(record).filter(({ figure }) => only === '' || figure !== undefined));

function defaultJson() {
  const date = started.toISOString().slice(0, 19).replaceAll(':', '-');
  return fileURLToPath(new URL(`../target/bench/${date}.json`, import.meta.url));
}

function commandLine() {
  const peer = process.env.BENCH_PEER;
  const command = ['npm run bench --', ...process.argv.slice(2).map(quoted)].join(' ');
  return peer ? `BENCH_PEER=${peer} ${command}` : command;
}

function quoted(argument) {
  return /^[\w./=-]+$/.test(argument) ? argument : JSON.stringify(argument);
}

function versionsOf(baselines) {
  return Object.assign({}, ...baselines.map(({ versions }) => versions));
}
