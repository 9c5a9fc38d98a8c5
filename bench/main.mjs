// `npm run bench -- --help` says how to run it, README.md how to read it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { groupsToRun } from './groups.mjs';
import { describeMachine } from './machine.mjs';
import { printVerdict, writeJson } from './report.mjs';

const USAGE = `npm run bench [-- options]

  --quick        fewer and shorter rounds, smaller roots: under 2 minutes, wider spread
  --only text    only the figures whose name, or whose group's title, contains this text
  --json file    also write the figures, with the machine and the versions
  --dir path     put the stores of kind disk here (default: the system's temporary directory)
  --help         this text`;

const EFFORT = {
  rounds: 30,
  roundMilliseconds: 40,
  processes: 15,
  largeRoot: 100_000,
  logMessages: 1_000_000,
};
const QUICK_EFFORT = {
  rounds: 15,
  roundMilliseconds: 15,
  processes: 5,
  largeRoot: 10_000,
  logMessages: 100_000,
};

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        json: { type: 'string' },
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
const directory = await mkdtemp(join(fromUser(options.dir), 'namzu-bench-'));
try {
  const machine = await describeMachine(directory);
  console.log(
    Object.entries(machine)
      .map(([key, value]) => `${key}: ${value}`)
      .join('\n'),
  );
  const groups = [];
  for (const run of groupsToRun) groups.push(...(await run(directory, effort, options.only)));
  printVerdict(groups);
  if (options.json !== undefined) {
    const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
    const seconds = (Date.now() - started.getTime()) / 1000;
    const run = { command, started: started.toISOString(), seconds, effort };
    await writeJson(fromUser(options.json), { ...run, machine, groups });
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
