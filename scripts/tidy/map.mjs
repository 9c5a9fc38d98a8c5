/** What ARCHITECTURE.md says, and whether it has all that is there. */

import { spawnSync } from 'node:child_process';
import { CommandFailed, ROOT } from '../run.mjs';

/** The layers of the core from the top, each a list of modules: the rows of the table. */
export function layersOf(map) {
  const table = map.match(/^### Layers of the core\n[\s\S]*?\n(\|[\s\S]*?)\n\n/m)?.[1];
  if (table === undefined) throw new CommandFailed('ARCHITECTURE.md has no table of layers');
  const rows = table.split('\n').slice(2);
  return rows.map((row) => [...row.split('|')[1].matchAll(/`(\w+)`/g)].map(([, name]) => name));
}

/** Folders that the map leaves out, and those that it names although they are gone. */
export function undrawn(map) {
  const there = folders();
  const named = new Set([...map.matchAll(/^\| `([\w./-]+)\/`/gm)].map(([, name]) => name));
  return [
    ...there
      .filter((name) => !named.has(name))
      .map((name) => `ARCHITECTURE.md: the map lacks \`${name}/\``),
    ...[...named]
      .filter((name) => !there.includes(name))
      .map((name) => `ARCHITECTURE.md: there is no \`${name}/\``),
  ];
}

/** The folders that the map is about: the top ones, and those of `lib/` and `src/` below. */
function folders() {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new CommandFailed('git ls-files failed: is this a clone?');
  const found = stdout.split('\0').flatMap((file) => {
    const parts = file.split('/').slice(0, -1);
    const depth = ['lib', 'src'].includes(parts[0]) ? 2 : 1;
    return parts.slice(0, depth).map((_, index) => parts.slice(0, index + 1).join('/'));
  });
  return [...new Set(found)];
}
