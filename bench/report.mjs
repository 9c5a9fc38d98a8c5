// The table for a person and the JSON for a program; both hold the same figures.

import { writeFile } from 'node:fs/promises';

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {import('./harness.mjs').Spread} first left column, in the group's unit
 * @property {import('./harness.mjs').Spread} second right column
 * @property {import('./harness.mjs').Spread} ratio or difference
 * @property {{ atLeast?: number, atMost?: number }} [target] for the median of the ratio
 */

/**
 * @typedef {object} Group
 * @property {string} title
 * @property {[string, string]} columns what was measured in the two columns
 * @property {string} ratioOf how the ratio, or the difference, is formed
 * @property {string} [unit] microseconds per call when absent
 * @property {'ratio' | 'difference'} [comparison] what is judged; a ratio when absent
 * @property {Figure[]} figures
 */

const WIDTHS = [42, 12, 12, 11, 18, 14];

/** @param {Omit<Group, 'figures'>} group */
export function printHead({ title, columns, ratioOf, unit = 'µs per call', comparison = 'ratio' }) {
  console.log(`\n${title}  (${unit}, medians; ${comparison} = ${ratioOf})`);
  console.log(row(['', ...columns, comparison, 'quartiles', 'target']));
}

/** @param {Figure} figure */
export function printFigure({ name, first, second, ratio, target }) {
  const quartiles = `${ratioText(ratio.q1)} – ${ratioText(ratio.q3)}`;
  const cells = [name, micros(first.median), micros(second.median), ratioText(ratio.median)];
  console.log(row([...cells, quartiles, verdict(ratio.median, target)]));
}

/** @param {string} name @param {Error} error */
export function printFailure(name, error) {
  console.log(row([name, ...Array(4).fill('–'), `failed: ${error.message.split('\n')[0]}`]));
}

/** @param {number} ratio @param {Figure['target']} target */
export function meets(ratio, target) {
  return ratio >= (target?.atLeast ?? 0) && ratio <= (target?.atMost ?? Infinity);
}

/**
 * The figures that have a target, and whether they reach it.
 *
 * @param {readonly Group[]} groups
 */
export function judge(groups) {
  return groups.flatMap(({ title, comparison = 'ratio', figures }) =>
    figures
      .filter(({ target }) => target !== undefined)
      .map(({ name, ratio, target }) => ({
        work: `${name} (${title})`,
        comparison,
        target,
        figure: ratio,
        reached: meets(ratio.median, target),
      })),
  );
}

/** @param {ReturnType<typeof judge>} judgements */
export function printJudgements(judgements) {
  if (judgements.length === 0) return;
  const width = Math.max(...judgements.map(({ work }) => work.length)) + 2;
  const line = (work, ...cells) =>
    console.log([`  ${work}`.padEnd(width), ...cells.map((c) => c.padStart(13))].join(' '));
  console.log('\ntargets');
  line('', 'target', 'figure', 'quartiles', 'reached');
  for (const { work, target, figure, reached } of judgements) {
    const quartiles = `${ratioText(figure.q1)} – ${ratioText(figure.q3)}`;
    line(work, bound(target), ratioText(figure.median), quartiles, reached ? 'yes' : 'NO');
  }
  const missed = judgements.filter(({ reached }) => !reached).length;
  console.log(`\n${judgements.length - missed} of ${judgements.length} targets reached`);
}

/** @param {string} path @param {object} content */
export async function writeJson(path, content) {
  await writeFile(path, `${JSON.stringify(content, roundNumbers, 2)}\n`);
}

function verdict(ratio, target) {
  if (target === undefined) return '';
  return `${bound(target)} ${meets(ratio, target) ? 'met' : 'MISSED'}`;
}

function bound({ atLeast, atMost }) {
  return atLeast !== undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
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
