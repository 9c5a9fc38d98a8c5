/**
 * The committed files that say what the package exports, made from
 * `lib/index.ts`: `index.d.ts`, so that a change of the API is a diff that a
 * reviewer sees, `index.mjs`, whose list of names must not drift from it, and
 * `docs/api.md`, which says it to readers.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { apiReference } from './api-reference.mjs';
import { CommandFailed, ROOT } from './run.mjs';

const ENTRY = join(ROOT, 'lib', 'index.ts');
const NOTICE = '// Generated from lib/index.ts by `npm run build`: change it there.\n';

/** Writes the files. */
export function writePublicApi() {
  for (const [name, text] of publicApi()) {
    if (read(name) !== text) writeFileSync(join(ROOT, name), text);
  }
}

/** Fails when one of the files is not what a build would write. */
export function checkPublicApi() {
  const stale = publicApi().filter(([name, text]) => read(name) !== text);
  if (stale.length === 0) return;
  for (const [name, text] of stale) console.error(`${name}: ${firstDifference(read(name), text)}`);
  throw new CommandFailed(
    `${stale.map(([name]) => name).join(' and ')} out of date with lib/: ` +
      'run "npm run build" and commit the result',
  );
}

function publicApi() {
  const types = rollUpTypes();
  return [
    ['index.d.ts', types],
    ['index.mjs', esModule(exportedValues())],
    ['docs/api.md', apiReference(types)],
  ];
}

// The packages are loaded late: this file may be imported before they are installed.
const load = createRequire(import.meta.url);

function rollUpTypes() {
  const { generateDtsBundle } = load('dts-bundle-generator');
  const [types] = generateDtsBundle(
    [
      {
        filePath: ENTRY,
        output: { noBanner: true, exportReferencedTypes: false, inlineDeclareGlobals: true },
      },
    ],
    { preferredConfigPath: join(ROOT, 'tsconfig.json') },
  );
  return `${NOTICE}\n${types.trim().replaceAll('\t', '  ')}\n`;
}

/** The names of what `lib/index.ts` exports beside types. */
function exportedValues() {
  const ts = load('typescript');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    ROOT,
  );
  const program = ts.createProgram([ENTRY], options);
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(
    checker.getSymbolAtLocation(program.getSourceFile(ENTRY)),
  );
  const target = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return symbols
    .filter((symbol) => target(symbol).flags & ts.SymbolFlags.Value)
    .map((symbol) => symbol.name)
    .sort();
}

function esModule(names) {
  return `${NOTICE}
// The one CommonJS build serves \`import\` too, so that both see the same classes. Bundlers
// follow this import.
import namzu from './dist/index.js';

export const {
${names.map((name) => `  ${name},\n`).join('')}} = namzu;
`;
}

function read(name) {
  try {
    return readFileSync(join(ROOT, name), 'utf8');
  } catch {
    return undefined;
  }
}

function firstDifference(committed, built) {
  if (committed === undefined) return 'missing';
  const [old, fresh] = [committed.split('\n'), built.split('\n')];
  const at = fresh.findIndex((line, index) => line !== old[index]);
  const line = at === -1 ? fresh.length : at;
  return `line ${line + 1}\n  - ${old[line] ?? '(end)'}\n  + ${fresh[line] ?? '(end)'}`;
}
