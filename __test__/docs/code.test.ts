import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as namzu from 'namzu-native';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanEnvironment } from '../support/environment.js';
import { tempDir } from '../support/temp-root.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const here = (name: string) => join(repository, '__test__', 'docs', name);

/** The code of a page, and the line that it starts on. */
interface Block {
  readonly at: string;
  readonly file: string;
  readonly code: string;
}

/** Not the reference: it is made of declarations, and its examples are those of the sources. */
const PAGES = [
  'README.md',
  ...readdirSync(join(repository, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'api.md')
    .map((name) => `docs/${name}`),
];

const BLOCKS: readonly Block[] = PAGES.flatMap((page) => {
  const text = readFileSync(join(repository, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((found) => {
    const line = text.slice(0, found.index).split('\n').length;
    const file = here(`${page.replaceAll(/\W/g, '-')}-${line}.ts`);
    return { at: `${page}:${line}`, file, code: found[1] as string };
  });
});

const IMPORTS = /^import [\s\S]*?;\n/gm;

/** A module of a block: what it uses of the package is imported, the rest is in a function. */
function moduleOf({ code }: Block): string {
  const imports = (code.match(IMPORTS) ?? []).join('');
  const body = code.replace(IMPORTS, '');
  const used = Object.keys(namzu).filter(
    (name) => new RegExp(`\\b${name}\\b`).test(body) && !imports.includes(name),
  );
  return `import { ${used.join(', ')} } from 'namzu-native';
${imports}export async function example() {
${body}}
`;
}

/** What TypeScript has against the modules, by their files. */
function complaints(modules: ReadonlyMap<string, string>): ReadonlyMap<string, string[]> {
  const { options } = ts.parseJsonConfigFileContent(
    {
      extends: '../../tsconfig.base.json',
      compilerOptions: {
        module: 'ESNext',
        moduleResolution: 'Bundler',
        noEmit: true,
        skipLibCheck: true,
        exactOptionalPropertyTypes: true,
        noUnusedLocals: false,
      },
      files: [],
    },
    ts.sys,
    here('.'),
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => modules.get(name) ?? readFile(name);
  host.fileExists = (name) => modules.has(name) || fileExists(name);
  host.getSourceFile = (name, target, ...rest) => {
    const text = modules.get(name);
    if (text === undefined) return getSourceFile(name, target, ...rest);
    return ts.createSourceFile(name, text, target);
  };
  const program = ts.createProgram([...modules.keys(), here('around.ts')], options, host);
  const byFile = new Map<string, string[]>();
  for (const { file, messageText } of ts.getPreEmitDiagnostics(program)) {
    const name = file?.fileName ?? '';
    const text = ts.flattenDiagnosticMessageText(messageText, ' ');
    byFile.set(name, [...(byFile.get(name) ?? []), text]);
  }
  return byFile;
}

describe('the code in the documents', () => {
  /** The SDK is not installed here. What it is used for is one name. */
  const sdk = `declare module '@namzu/sdk' { export class WorkspaceBackendRegistry { #theirs; } }`;
  let found: ReadonlyMap<string, string[]>;

  beforeAll(() => {
    const mistaken =
      "import { DiskSessionStore } from 'namzu-native';\nDiskSessionStore.nothing;\n";
    found = complaints(
      new Map([
        ...BLOCKS.map((block) => [block.file, moduleOf(block)] as const),
        [here('mistaken.ts'), mistaken],
        [here('sdk.d.ts'), sdk],
      ]),
    );
  }, 60_000);

  it('is looked at: a mistake is found', () => {
    expect(found.get(here('mistaken.ts'))).toHaveLength(1);
    expect(found.get('')).toBeUndefined();
  });

  it.each(BLOCKS)('has the right types: $at', ({ file }) => {
    expect(found.get(file)).toBeUndefined();
  });

  const whole = BLOCKS.filter(({ code }) => code.includes('generateTenantId();'));

  it.each(whole)('runs as it is: $at', async ({ code }) => {
    const entry = pathToFileURL(join(repository, 'index.mjs')).href;
    const testing = pathToFileURL(join(repository, 'testing.mjs')).href;
    const runnable = code
      .replace("'namzu-native'", `'${entry}'`)
      .replace("'namzu-native/testing'", `'${testing}'`);
    const { outputText } = ts.transpileModule(runnable, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    const args = ['--input-type=module', '--eval', outputText];
    const run = promisify(execFile)(process.execPath, args, {
      cwd: tempDir(),
      env: cleanEnvironment(),
    });
    await expect(run).resolves.toMatchObject({ stderr: '' });
  });
});
