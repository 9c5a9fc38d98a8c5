import { describe, expect, it } from 'vitest';
import { Prng } from '../support/prng.js';
import { isLinearizable, type Recorded, type Step } from './support/linearizability.js';

const read = (seen: number): Step => ({ do: 'read', seen });
const write = (value: number): Step => ({ do: 'write', value });
const set = (expected: number, value: number, seen: number | null = null): Step => ({
  do: 'compare and set',
  expected,
  value,
  seen,
});
const at = (called: number, answered: number | null, step: Step): Recorded => ({
  step,
  called,
  answered,
});

describe('the checker of histories accepts', () => {
  it.each<[string, Recorded[]]>([
    ['nothing', []],
    ['steps one after the other', [at(1, 2, write(7)), at(3, 4, set(7, 8)), at(5, 6, read(8))]],
    ['a refusal that names what is there', [at(1, 2, write(7)), at(3, 4, set(0, 8, 7))]],
    ['a read during a write that sees the old', [at(1, 9, write(7)), at(2, 3, read(0))]],
    ['a read during a write that sees the new', [at(1, 9, write(7)), at(2, 3, read(7))]],
    ['one winner of two at once', [at(1, 9, set(0, 5)), at(2, 8, set(0, 6, 5))]],
    ['a chain in another order than the calls', [at(1, 9, set(2, 3)), at(2, 8, set(0, 2))]],
    ['an unanswered write that is seen late', [at(1, null, write(7)), at(5, 6, read(7))]],
    ['an unanswered write that is never seen', [at(1, null, write(7)), at(5, 6, read(0))]],
    [
      'an unanswered write that is seen only after a while',
      [at(1, null, write(7)), at(5, 6, read(0)), at(7, 8, read(7))],
    ],
  ])('%s', (_, history) => {
    expect(isLinearizable(history, 0)).toBe(true);
  });
});

describe('the checker of histories refuses', () => {
  it.each<[string, Recorded[]]>([
    ['a value from nowhere', [at(1, 2, read(7))]],
    ['a read that misses an answered write', [at(1, 2, write(7)), at(3, 4, read(0))]],
    ['two winners of one version', [at(1, 9, set(0, 5)), at(2, 8, set(0, 6))]],
    ['a lost update', [at(1, 9, set(0, 5)), at(2, 8, set(5, 6)), at(10, 11, read(5))]],
    ['a refusal where it should have won', [at(1, 2, set(0, 5, 3))]],
    [
      'reads that go back in time',
      [at(1, 9, write(7)), at(2, 3, read(7)), at(4, 5, read(0)), at(10, 11, read(7))],
    ],
    [
      'an unanswered write that is gone again',
      [at(1, null, write(7)), at(2, 3, read(7)), at(4, 5, read(0))],
    ],
    [
      'an unanswered write that is seen before its call',
      [at(3, null, write(7)), at(1, 2, read(7))],
    ],
  ])('%s', (_, history) => {
    expect(isLinearizable(history, 0)).toBe(false);
  });
});

/** What callers at once would see of a real register, each step at one moment between its times. */
function simulated(random: Prng, steps: number): Recorded[] {
  const planned = Array.from({ length: steps }, (_, i) => {
    const moment = i * 10 + random.below(9);
    const called = moment - random.below(60);
    return { moment, called, answered: moment + 1 + random.below(60) };
  });
  let held = 0;
  return planned.map(({ called, answered }) => {
    const value = random.below(4);
    if (random.chance(0.3)) return at(called, answered, read(held));
    if (random.chance(0.2)) {
      held = value;
      return at(called, answered, write(value));
    }
    const expected = random.below(4);
    const seen = expected === held ? null : held;
    if (seen === null) held = value;
    return at(called, answered, set(expected, value, seen));
  });
}

it('the checker accepts long histories of a register and refuses them with one answer wrong', () => {
  const random = new Prng(1);
  let refused = 0;
  for (let i = 0; i < 10; i += 1) {
    const history = simulated(random, 200);
    expect(isLinearizable(history, 0)).toBe(true);
    const wrong = history.map(({ step, ...times }, n) =>
      n === 100 ? { ...times, step: read(4) } : { ...times, step },
    );
    if (!isLinearizable(wrong, 0)) refused += 1;
  }
  expect(refused).toBe(10);
});

it('the checker is not held up by calls that were never answered and left nothing', () => {
  const cut = Array.from({ length: 60 }, (_, i) => at(i, null, write(1_000 + i)));
  const chain = (first: number) =>
    Array.from({ length: 20 }, (_, i) =>
      at(100 + i * 2, 101 + i * 2, set(first + i, first + i + 1)),
    );
  expect(isLinearizable([...cut, ...chain(0), at(200, 201, read(20))], 0)).toBe(true);
  expect(isLinearizable([...cut, ...chain(1), at(200, 201, read(21))], 0)).toBe(false);
  const chained = [at(1, null, set(0, 5)), at(2, null, set(5, 6)), at(3, 4, read(6))];
  expect(isLinearizable([...cut, ...chained], 0)).toBe(true);
});
