import { describe, expect, it } from 'vitest';

const of = (name: string) => import(new URL(`../../scripts/tidy/${name}`, import.meta.url).href);
const { cut, findCircle, importsOfFacade } = await of('facade-imports.mjs');
const { isTest, production, usedModules } = await of('rust.mjs');
const { layersOf } = await of('map.mjs');

describe('the check of the tree', () => {
  it('finds a circle of imports of types', () => {
    const imports = importsOfFacade([
      { name: 'lib/a.ts', text: "import type { B } from './b';\n" },
      { name: 'lib/b/index.ts', text: "export { C } from '../c';\n" },
      { name: 'lib/b.ts', text: "export type { C } from './c';\n" },
      { name: 'lib/c.ts', text: "import { A } from './a';\nimport 'node:fs';\n" },
    ]);
    expect(findCircle(imports)).toStrictEqual(['lib/a.ts', 'lib/b.ts', 'lib/c.ts', 'lib/a.ts']);
    expect(findCircle(cut(imports, ['lib/c.ts → lib/a.ts']))).toBeUndefined();
  });

  it('finds the modules that a file of the core uses, its tests and comments aside', () => {
    const text = `//! What it is for; see crate::node.
use crate::{
    error::{Error, Result},
    id::SessionId,
    model::{Session, message::{self, Message}},
};

fn now() -> crate::timestamp::Timestamp {}

#[cfg(test)]
mod tests {
    use crate::handoff::Assignment;
}
`;
    const modules = ['error', 'id', 'model', 'timestamp'];
    expect([...usedModules(text)].sort()).toStrictEqual(modules);
    expect(production(text)).toBe(8);
    expect(isTest('src/engine/tests.rs')).toBe(true);
    expect(isTest('src/engine/batch.rs')).toBe(false);
  });

  it('reads the layers from the table', () => {
    const map =
      '### Layers of the core\n\nFrom the top.\n\n| l | |\n|---|---|\n| `a`, `b` | `x` |\n| `c` | |\n\nMore.\n';
    expect(layersOf(map)).toStrictEqual([['a', 'b'], ['c']]);
  });
});
