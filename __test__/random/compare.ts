import { DiskArchiveBackend, DiskSessionStore, InMemorySessionStore } from 'namzu-native';
import { Prng } from '../support/prng.js';
import { copyOfRecords, tempRoot } from '../support/temp-root.js';
import { ALPHA, BETA } from '../support/world.js';
import { Choices } from './choices.js';
import type { Operation } from './operation.js';
import { allReads, linkageReads, randomOperation } from './operations.js';
import { Twin } from './twin.js';

export interface Comparison {
  /** Of every other, the disk store is `relaxed`. */
  readonly seed: number;
  readonly steps: number;
  /** Asks where every session stands after each step, often enough for copies to be kept. */
  readonly rereading?: boolean;
}

/** What was compared, to see that a comparison compares anything. */
export interface Tally {
  answers: number;
  errors: Map<string, number>;
}

/** Makes random calls to a memory store and to a disk store; a difference is an error. */
export async function compareStores(comparison: Comparison): Promise<Tally> {
  const { seed, steps, rereading = false } = comparison;
  const durability = seed % 2 === 0 ? 'full' : 'relaxed';
  const startedAt = Date.now();
  const rootDir = tempRoot();
  const aside = new DiskArchiveBackend({ rootDir: tempRoot(), durability });
  const beside = new DiskArchiveBackend({ rootDir, durability });
  const memory = new Twin('memory', new InMemorySessionStore(), aside, startedAt);
  const store = new DiskSessionStore({ rootDir, durability });
  const disk = new Twin('disk', store, beside, startedAt);
  const choices = new Choices(new Prng(seed));
  const tally: Tally = { answers: 0, errors: new Map() };

  for (let step = 0; step < steps; step += 1) {
    const operation = randomOperation(choices);
    const outcome = await compare(operation, [memory, disk], choices, `seed ${seed}, step ${step}`);
    const error = /^threw Object \{\n {2}name: "(\w+)"/.exec(outcome)?.[1];
    if (error === undefined) tally.answers += 1;
    else tally.errors.set(error, (tally.errors.get(error) ?? 0) + 1);
    if (!rereading) continue;
    for (const read of linkageReads(choices, [ALPHA, BETA])) {
      const where = `seed ${seed}, after step ${step}`;
      const outcome = await compare(read, [memory, disk], choices, where);
      for (let i = 0; i < 2; i += 1) {
        const again = await memory.outcome(read.run(memory));
        if (again !== outcome) throw new Error(`${where}: ${read.title}\n${again}\n${outcome}`);
      }
    }
  }

  await store.flush();
  const reopened = disk.over(new DiskSessionStore({ rootDir: copyOfRecords(rootDir) }), 'reopened');
  for (const read of allReads(choices, [ALPHA, BETA])) {
    await compare(read, [memory, disk, reopened], choices, `seed ${seed}, at the end`);
  }
  return tally;
}

async function compare(
  operation: Operation,
  twins: readonly [Twin, ...Twin[]],
  choices: Choices,
  where: string,
): Promise<string> {
  const { creates } = operation;
  const outcomes: string[] = [];
  for (const twin of twins) {
    const call = operation.run(twin).then((value) => {
      for (let n = 0; creates && n < (creates.count ?? 1); n += 1) {
        const one = creates.count === undefined ? value : (value as readonly unknown[])[n];
        twin.learn(choices.nextName(creates.kind, n), one);
      }
      return value;
    });
    outcomes.push(await twin.outcome(call));
  }
  const [first = '', ...others] = outcomes;
  if (others.some((other) => other !== first)) {
    const answers = twins.map((twin, i) => `--- ${twin.label}\n${outcomes[i]}`);
    throw new Error(`${where}: ${operation.title}\n${answers.join('\n')}`);
  }
  if (creates && !first.startsWith('threw')) {
    for (let n = 0; n < (creates.count ?? 1); n += 1) choices.keep(creates.kind, creates.owner);
  }
  return first;
}
