/**
 * Keeps the shape of the tree: imports go down, files stay small and say what they are for, and
 * ARCHITECTURE.md has every folder. Needs no build.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandFailed, main, ROOT } from './run.mjs';
import { CIRCLES, LONG_FILES, MAX_LINES, UPWARD } from './tidy/exceptions.mjs';
import { cut, findCircle, importsOfFacade } from './tidy/facade-imports.mjs';
import { layersOf, undrawn } from './tidy/map.mjs';
import { isTest, production, usedModules } from './tidy/rust.mjs';

/** Fails with all that is not as it should be. */
export function tidy() {
  const rust = read('src', '.rs').filter(({ name }) => !isTest(name));
  const facade = read('lib', '.ts');
  const map = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const found = [
    ...undrawn(map),
    ...upward(rust, layersOf(map)),
    ...circles(importsOfFacade(facade)),
    ...longFiles([...rust, ...facade]),
    ...withoutHeader([...read('src', '.rs'), ...facade, ...read('scripts', '.mjs')]),
  ];
  for (const line of found) console.error(line);
  if (found.length > 0) {
    throw new CommandFailed('the tree is not tidy: ARCHITECTURE.md says what is wanted');
  }
}

/** The files of a folder with an ending, with their text. */
function read(folder, ending) {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()
    .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));
}

/** Modules of the core use modules of lower layers alone. */
function upward(files, layers) {
  const layerOf = (module) => layers.findIndex((modules) => modules.includes(module));
  const found = [];
  const met = new Set();
  for (const { name, text } of files) {
    const own = moduleOf(name);
    if (own === 'lib') continue;
    if (layerOf(own) === -1) found.push(`${name}: ARCHITECTURE.md has no layer for \`${own}\``);
    for (const used of usedModules(text)) {
      if (used === own || layerOf(used) > layerOf(own)) continue;
      const arrow = `${name} → ${used}`;
      met.add(arrow);
      if (!(arrow in UPWARD)) found.push(`${name}: \`${own}\` may not use \`${used}\``);
    }
  }
  return [...found, ...unneeded(UPWARD, (arrow) => met.has(arrow))];
}

function moduleOf(name) {
  return name.split('/')[1].replace(/\.rs$/, '');
}

/** Files of the facade do not import each other in circles, types included. */
function circles(imports) {
  const circle = findCircle(cut(imports, Object.keys(CIRCLES)));
  if (circle !== undefined) return [`imports in a circle: ${circle.join(' → ')}`];
  const closes = (arrow) => {
    const others = Object.keys(CIRCLES).filter((other) => other !== arrow);
    return findCircle(cut(imports, others)) !== undefined;
  };
  return unneeded(CIRCLES, closes);
}

function longFiles(files) {
  const lines = new Map(files.map(({ name, text }) => [name, production(text)]));
  const found = [...lines]
    .filter(([name, count]) => count > (LONG_FILES[name]?.lines ?? MAX_LINES))
    .map(
      ([name, count]) => `${name}: ${count} lines; at most ${LONG_FILES[name]?.lines ?? MAX_LINES}`,
    );
  return [...found, ...unneeded(LONG_FILES, (name) => lines.get(name) > MAX_LINES)];
}

function withoutHeader(files) {
  return files
    .filter(({ name, text }) => !text.startsWith(name.endsWith('.rs') ? '//! ' : '/**'))
    .map(({ name }) => `${name}: does not begin with a comment that says what it is for`);
}

/** Exceptions go when they are no longer needed, so that they cannot come back unseen. */
function unneeded(exceptions, isNeeded) {
  return Object.keys(exceptions)
    .filter((key) => !isNeeded(key))
    .map((key) => `scripts/tidy/exceptions.mjs: "${key}" is no longer needed: remove it`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(tidy);
