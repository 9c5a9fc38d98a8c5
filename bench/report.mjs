// The table for a person and the JSON for a program; both hold the same figures.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { judge } from './targets.mjs';

/** @typedef {import('./targets.mjs').Target} Target */

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {import('./harness.mjs').Spread} first left column, in the group's unit
 * @property {import('./harness.mjs').Spread} second right column
 * @property {import('./harness.mjs').Spread} ratio or difference
 * @property {Target} [target] for the median of the ratio
 */

/**
 * @typedef {object} Group
 * @property {string} title
 * @property {[string, string]} columns what was measured in the two columns
 * @property {string} ratioOf how the ratio, or the difference, is formed
 * @property {string} [unit] of the columns, and of a difference; microseconds per call when absent
 * @property {'ratio' | 'difference'} [comparison] what is judged; a ratio when absent
 * @property {Figure[]} figures
 */

export const DEFAULT_UNIT = 'µs per call';

const WIDTHS = [42, 12, 12, 11, 18, 15];

/** @param {Omit<Group, 'figures'>} group */
export function printHead({ title, columns, ratioOf, unit = DEFAULT_UNIT, comparison = 'ratio' }) {
  console.log(`\n${title}  (${unit}, medians; ${comparison} = ${ratioOf})`);
  console.log(row(['', ...columns, comparison, 'quartiles', 'target']));
}

const VERDICTS = { reached: 'met', missed: 'MISSED', unclear: 'unclear' };

/** @param {Figure} figure */
export function printFigure({ name, first, second, ratio, target }) {
  const cells = [name, micros(first.median), micros(second.median), ratioText(ratio.median)];
  const verdict = target === undefined ? '' : `${bound(target)} ${VERDICTS[judge(ratio, target)]}`;
  console.log(row([...cells, quartiles(ratio), verdict]));
}

/** @param {string} name @param {Error} error */
export function printFailure(name, error) {
  console.log(row([name, ...Array(4).fill('–'), `failed: ${error.message.split('\n')[0]}`]));
}

/**
 * The targets by their origin, each with its figure; whether it is unclear, or why there is none.
 *
 * @param {ReturnType<typeof import('./targets.mjs').judgements>} judgements
 */
export function printJudgements(judgements) {
  if (judgements.length === 0) return;
  const width = Math.max(...judgements.map((one) => workOf(one).length)) + 2;
  const line = (work, ...cells) =>
    console.log(
      [`  ${work}`.padEnd(width), ...cells.map((c) => c.padStart(15))].join(' ').trimEnd(),
    );
  const summary = [];
  for (const [origin, targets] of Object.entries(byOrigin(judgements))) {
    console.log(`\ntargets: ${origin}`);
    line('', 'target', 'figure', 'quartiles', 'reached');
    for (const one of targets) {
      const { state, figure, unit = '', why } = one;
      const median = figure === undefined ? '–' : `${ratioText(figure.median)} ${unit}`.trim();
      const range = figure === undefined ? '–' : quartiles(figure);
      line(workOf(one), bound(one), median, range, ANSWERS[state] ?? `  ${state}: ${why}`);
    }
    summary.push(`${origin}: ${Object.entries(countStates(targets)).map(inWords).join(', ')}`);
  }
  console.log(`\n${summary.join('\n')}`);
}

const ANSWERS = { reached: 'yes', missed: 'NO', unclear: 'unclear' };

/** @param {ReturnType<typeof import('./targets.mjs').judgements>} judgements */
export function countByOrigin(judgements) {
  const counted = Object.entries(byOrigin(judgements)).map(([origin, targets]) => [
    origin,
    countStates(targets),
  ]);
  return Object.fromEntries(counted);
}

function byOrigin(judgements) {
  const groups = {};
  for (const one of judgements) {
    groups[one.origin] ??= [];
    groups[one.origin].push(one);
  }
  return groups;
}

function countStates(targets) {
  const counts = { reached: 0, unclear: 0, missed: 0, 'not measured': 0 };
  for (const { state } of targets) counts[state] += 1;
  return counts;
}

function inWords([state, count]) {
  return `${count} ${state}`;
}

function workOf({ name, title }) {
  return `${name} (${title})`;
}

/**
 * At once, so that nothing that happens later can take the figures away.
 *
 * @param {string} path
 * @param {object} content
 */
export function writeJson(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(content, roundNumbers, 2)}\n`);
}

function bound({ atLeast, atMost, unit = '' }) {
  return `${atLeast !== undefined ? `≥ ${atLeast}` : `≤ ${atMost}`} ${unit}`.trim();
}

function quartiles({ q1, q3 }) {
  return `${ratioText(q1)} – ${ratioText(q3)}`;
}

function row(cells) {
  const padded = cells.map((cell, i) =>
    i === 0 ? `  ${cell}`.padEnd(WIDTHS[i]) : cell.padStart(WIDTHS[i]),
  );
  return padded.join(' ').trimEnd();
}

function micros(value) {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function ratioText(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function roundNumbers(_, value) {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}
