// `npm run demo [-- file.jsonl]`: real conversations through the store and back again, in two
// processes. Exit code 0 when everything came back as it was put in, 1 otherwise.

import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printOutcome } from './print-outcome.mjs';
import { readConversations } from './read-conversations.mjs';
import { runDemo } from './run-demo.mjs';

const USAGE = `npm run demo [-- [options] file.jsonl]

  file.jsonl    conversations, one { "messages": [...] } a line, in this package's message shape
                or OpenAI's (default: a small conversation of our own)
  --root dir    put the store here; must not exist yet, or be empty
  --keep        leave the store and the git repository in place (removed at the end otherwise)
  --help        this text`;

try {
  await main();
} catch (error) {
  console.error(`demo: ${error.message}`);
  process.exitCode = 1;
}

async function main() {
  const options = readOptions();
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const conversations = await readConversations(options.file);
  if (options.root !== undefined) await requireEmpty(options.root);
  // Git names its worktrees by real paths.
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'namzu-demo-')));
  const root = options.root ?? join(scratch, 'root');
  const repositoryPath = join(scratch, 'repository');
  const expectationsPath = join(scratch, 'expectations.json');
  let differs = false;
  try {
    const outcome = await runDemo({ conversations, root, repositoryPath, expectationsPath });
    printOutcome(outcome);
    differs = outcome.report.differences.length > 0;
    if (options.keep || differs) {
      console.log(`\nThe store is kept in ${root}`);
      console.log(`The repository is kept in ${repositoryPath}`);
    }
    if (differs) console.log(`What was put in is kept in ${expectationsPath}`);
  } finally {
    if (!differs) await rm(expectationsPath, { force: true });
    if (!options.keep && !differs) {
      await rm(root, { recursive: true, force: true });
      await rm(scratch, { recursive: true, force: true });
    }
  }
  if (differs) process.exitCode = 1;
}

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      root: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 1) throw new Error(`one file at a time\n\n${USAGE}`);
  const own = fileURLToPath(new URL('conversation.jsonl', import.meta.url));
  const [file] = positionals;
  return {
    ...values,
    file: file === undefined ? own : fromUser(file),
    root: values.root === undefined ? undefined : fromUser(values.root),
  };
}

// npm runs scripts in the package's directory; paths are meant from where the user typed them.
function fromUser(path) {
  const typedIn = process.env.npm_lifecycle_event === 'demo' ? process.env.INIT_CWD : undefined;
  return resolve(typedIn ?? process.cwd(), path);
}

// The root is removed at the end, so it must hold nothing of anybody else's.
async function requireEmpty(root) {
  await mkdir(root, { recursive: true });
  const entries = await readdir(root);
  if (entries.length > 0) throw new Error(`${root} is not empty: name a directory that is`);
}
