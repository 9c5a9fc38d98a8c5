/**
 * The workflows name actions by commit, as a tag can be moved, with the tag behind it:
 *
 *   uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
 *
 *   node scripts/pin-actions.mjs           fails where a tag is not at that commit
 *   node scripts/pin-actions.mjs --write   pins the tags anew, after one was edited
 *
 * Asks the actions' repositories, so it needs git and the network.
 */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed, main, ROOT } from './run.mjs';

const FOLDER = join(ROOT, '.github', 'workflows');
const PINNED = /(uses: )([\w.-]+\/[\w.-]+)([\w./-]*)@(\S+) # (v\S+)/g;

main(() => {
  const write = process.argv[2] === '--write';
  const commits = new Map();
  const wrong = [];
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name);
    const text = readFileSync(path, 'utf8');
    const pinned = text.replace(PINNED, (line, uses, repository, inside, commit, tag) => {
      const key = `${repository}@${tag}`;
      if (!commits.has(key)) commits.set(key, commitOf(repository, tag));
      const found = commits.get(key);
      if (found === commit) return line;
      wrong.push(`${name}: ${key} is ${found}, not ${commit}`);
      return `${uses}${repository}${inside}@${found} # ${tag}`;
    });
    if (write && pinned !== text) writeFileSync(path, pinned);
  }
  if (wrong.length > 0 && !write) throw new CommandFailed(wrong.join('\n'));
  console.log(wrong.length > 0 ? `Pinned anew:\n${wrong.join('\n')}` : 'All pins hold.');
});

/** The commit of a tag, also of one that is an object of its own. */
function commitOf(repository, tag) {
  const url = `https://github.com/${repository}`;
  const args = ['ls-remote', url, `refs/tags/${tag}`, `refs/tags/${tag}^{}`];
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new CommandFailed(`git ${args.join(' ')}: ${stderr}`);
  const commit = stdout.trim().split('\n').at(-1).split('\t')[0];
  if (commit === '') throw new CommandFailed(`${repository} has no tag ${tag}`);
  return commit;
}
