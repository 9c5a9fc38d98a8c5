/** The proofs of the full tier that are longer runs of tests; docs/testing.md has a section each. */

import { run, runNode } from './run.mjs';

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

export function interleavings() {
  const build = ['--manifest-path', INTERLEAVINGS, '--target-dir', 'target/interleavings'];
  withEnvironment({ NAMZU_ORDERS: process.env.NAMZU_ORDERS ?? '10000' }, () =>
    run('cargo', ['test', ...build, 'tests::interleavings::']),
  );
}

export function everyBit() {
  withEnvironment({ NAMZU_EVERY_BIT: '1' }, () => {
    run('cargo', ['test', '--lib', 'tests::every_bit::']);
    run('cargo', ['test', '--lib', 'no_bit_of_a_bundle']);
  });
}

export function changedCorpora() {
  withEnvironment({ NAMZU_FUZZ_RUNS: process.env.NAMZU_FUZZ_RUNS ?? '10000' }, () =>
    run('cargo', ['test', '--lib', 'fuzz::tests::']),
  );
}

export function histories() {
  const args = ['run', 'processes/histories.test'];
  withEnvironment({ NAMZU_HISTORIES: process.env.NAMZU_HISTORIES ?? '1000' }, () =>
    runNode('node_modules/vitest/vitest.mjs', args),
  );
}
