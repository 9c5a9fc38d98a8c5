/** The proofs of the full tier that are longer runs of tests; docs/testing.md has a section each. */

import { run, runCargoTests, runNode } from './run.mjs';

/** Runs with variables of the environment set, and puts them back. */
function withEnvironment(variables, proof) {
  const before = Object.keys(variables).map((name) => [name, process.env[name]]);
  Object.assign(process.env, variables);
  try {
    proof();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

const INTERLEAVINGS = 'harness/interleavings/Cargo.toml';

const BUILD = ['--manifest-path', INTERLEAVINGS, '--target-dir', 'target/interleavings'];

/** Whether the sources still fit that package, which names its dependencies itself. */
export function checkInterleavings() {
  run('cargo', ['check', '--quiet', '--tests', ...BUILD]);
}

export function interleavings() {
  withEnvironment({ NAMZU_ORDERS: process.env.NAMZU_ORDERS ?? '10000' }, () =>
    // They print the seed.
    runCargoTests([...BUILD, 'tests::interleavings::', '--', '--show-output']),
  );
}

export function everyBit() {
  withEnvironment({ NAMZU_EVERY_BIT: '1' }, () => {
    runCargoTests(['--lib', 'tests::every_bit::']);
    runCargoTests(['--lib', 'no_bit_of_a_bundle']);
  });
}

export function histories() {
  withEnvironment({ NAMZU_HISTORIES: process.env.NAMZU_HISTORIES ?? '1000' }, () =>
    vitest('processes/histories.test'),
  );
}

/** What other programs write while a root is closed. */
export function otherPrograms() {
  const counts = {
    NAMZU_TURNS: process.env.NAMZU_TURNS ?? '200',
    NAMZU_FOREIGN_SESSIONS: process.env.NAMZU_FOREIGN_SESSIONS ?? '10000',
  };
  withEnvironment(counts, () => vitest('foreign/'));
}

/** With the kinds of plants that the quick tier leaves out. */
export function hostile() {
  withEnvironment({ NAMZU_FULL: '1' }, () => vitest('hostile/planted', 'hostile/swapped'));
}

/** It fails where no file has such a name. */
function vitest(...names) {
  runNode('node_modules/vitest/vitest.mjs', ['run', ...names]);
}
