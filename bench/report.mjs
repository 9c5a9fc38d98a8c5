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

/** @param {number} ratio @param {Figure['target']} target */
export function meets(ratio, target) {
  return ratio >= (target?.atLeast ?? 0) && ratio <= (target?.atMost ?? Infinity);
}

/** @param {readonly Group[]} groups */
export function printVerdict(groups) {
  const judged = groups.flatMap(({ figures }) => figures).filter(({ target }) => target);
  const missed = judged.filter(({ ratio, target }) => !meets(ratio.median, target));
  console.log(`\n${judged.length - missed.length} of ${judged.length} targets met`);
}

/** @param {string} path @param {object} content */
export async function writeJson(path, content) {
  await writeFile(path, `${JSON.stringify(content, roundNumbers, 2)}\n`);
}

function verdict(ratio, target) {
  if (target === undefined) return '';
  const bound = target.atLeast !== undefined ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
  return `${bound} ${meets(ratio, target) ? 'met' : 'MISSED'}`;
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
