/** What a file of the core uses, and how long it is, without its tests. */

/** Files that only tests compile. */
const OF_TESTS = /\/(tests|simulated)\/|\/(tests|\w+_tests|fuzz|bench|mutants|failing_store)\.rs$/;

const INLINE_TESTS = /^#\[cfg\(test\)\]\s*(#\[[^\]]*\]\s*)*mod \w+ \{/m;

export function isTest(name) {
  return OF_TESTS.test(name);
}

/** The number of lines before the tests. */
export function production(text) {
  return withoutTests(text).trimEnd().split('\n').length;
}

function withoutTests(text) {
  const at = text.search(INLINE_TESTS);
  return at === -1 ? text : text.slice(0, at);
}

/** The top-level modules that a file names: `crate::store::…`, `use crate::{id, store::…}`. */
export function usedModules(text) {
  const code = withoutTests(text).replace(/\/\/.*$/gm, '');
  const single = [...code.matchAll(/\bcrate::([a-z]\w*)/g)].map(([, name]) => name);
  const groups = [...code.matchAll(/\bcrate::\{([^;]*)\};/g)].flatMap(([, group]) => heads(group));
  return new Set([...single, ...groups].filter((name) => /^[a-z]/.test(name)));
}

/** The first names of a group, not those of groups within it. */
function heads(group) {
  let outer = group;
  while (/\{[^{}]*\}/.test(outer)) outer = outer.replace(/\{[^{}]*\}/g, '');
  return outer.split(',').map((path) => path.trim().split('::')[0]);
}
