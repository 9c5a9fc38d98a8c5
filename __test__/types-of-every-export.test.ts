import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What the package exports, types included. */
function exportedNames(): string[] {
  const file = here('../index.d.ts');
  const program = ts.createProgram([file], { noLib: true, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module_ = source && checker.getSymbolAtLocation(source);
  return module_ ? checker.getExportsOfModule(module_).map(({ name }) => name) : [];
}

/** What the type tests import. */
function importedNames(): Set<string> {
  const names = new Set<string>();
  for (const name of readdirSync(here('./types/'))) {
    const text = readFileSync(here(`./types/${name}`), 'utf8');
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement)) continue;
      const bindings = statement.importClause?.namedBindings;
      if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
      for (const { name, propertyName } of bindings.elements)
        names.add((propertyName ?? name).text);
    }
  }
  return names;
}

describe('the type tests', () => {
  it('are about every export', () => {
    const exported = exportedNames();
    expect(exported.length).toBeGreaterThan(100);
    const imported = importedNames();
    expect(exported.filter((name) => !imported.has(name))).toStrictEqual([]);
  });
});
