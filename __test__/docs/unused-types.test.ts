import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const file = fileURLToPath(new URL('../../index.d.ts', import.meta.url));
const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

type Named = ts.Statement & { readonly name?: ts.Identifier };

const named = (source.statements as readonly Named[] & ts.NodeArray<Named>).filter(
  ({ name }) => name !== undefined,
);
const nameOf = ({ name }: Named) => (name as ts.Identifier).text;

/** Functions of ids alone: they would make every id's type one that is used. */
const OF_IDS = /^(generate|parse|is)\w+(Id|Ref)$/;

/** Names for parts of types that are used, and for what an application may write. */
const OTHER_NAMES = ['DeliverableKind', 'CustomBackendMeta'];

/** The names that classes and functions lead to. */
function reached(): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) follow(node.text);
    ts.forEachChild(node, visit);
  };
  const follow = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    for (const statement of named) if (nameOf(statement) === name) visit(statement);
  };
  for (const statement of named) {
    const isValue = ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement);
    if (isValue && !OF_IDS.test(nameOf(statement))) follow(nameOf(statement));
  }
  return names;
}

it('types that nothing here uses say whom they are for, and no others do', () => {
  const used = reached();
  const types = named.filter(
    (statement) => ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement),
  );
  const unused = types
    .filter((statement) => !used.has(nameOf(statement)) && !ts.getJSDocDeprecatedTag(statement))
    .map(nameOf)
    .filter((name) => !OTHER_NAMES.includes(name));
  const marked = types
    .filter((statement) => statement.getFullText().includes('@remarks For `@namzu/sdk`'))
    .map(nameOf);
  expect(marked).toContain('Tenant');
  expect(marked).toContain('SubsessionMessagedEvent');
  // The base of the events is not exported; it is reached from them alone.
  expect(unused.filter((name) => name !== 'SubsessionEventBase').sort()).toStrictEqual(
    marked.sort(),
  );
});
