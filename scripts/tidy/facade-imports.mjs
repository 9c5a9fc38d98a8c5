/** The imports between files of `lib/`, those of types included, and circles in them. */

import { createRequire } from 'node:module';
import { posix } from 'node:path';

// Loaded late: this file may be imported before the packages are installed.
const load = createRequire(import.meta.url);

/** The files that each file imports. */
export function importsOfFacade(files) {
  const ts = load('typescript');
  const names = new Set(files.map(({ name }) => name));
  const resolve = (from, source) => {
    const path = posix.join(posix.dirname(from), source);
    return [`${path}.ts`, `${path}/index.ts`].find((name) => names.has(name));
  };
  return new Map(
    files.map(({ name, text }) => {
      const { importedFiles } = ts.preProcessFile(text, true, true);
      const targets = importedFiles.map(({ fileName }) => resolve(name, fileName));
      return [name, targets.filter((target) => target !== undefined)];
    }),
  );
}

/** The imports without some, each written `from → to`. */
export function cut(imports, arrows) {
  const gone = new Set(arrows);
  return new Map(
    [...imports].map(([from, targets]) => [
      from,
      targets.filter((to) => !gone.has(`${from} → ${to}`)),
    ]),
  );
}

/** Files that import each other in a circle, the first at the end again; `undefined` if none do. */
export function findCircle(imports) {
  const done = new Set();
  const path = [];
  const visit = (file) => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const target of imports.get(file)) {
      const circle = visit(target);
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
