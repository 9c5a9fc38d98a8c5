// The table for a person and the JSON for a program; both hold the same figures.

import { writeFile } from 'node:fs/promises';

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {import('./harness.mjs').Spread} first microseconds per call, left column
 * @property {import('./harness.mjs').Spread} second microseconds per call, right column
 * @property {import('./harness.mjs').Spread} ratio
 * @property {{ atLeast?: number, atMost?: number }} [target] for the median of the ratio
 */

/**
 * @typedef {object} Group
 * @property {string} title
 * @property {[string, string]} columns what was measured in the two columns
 * @property {string} ratioOf how the ratio is formed
 * @property {Figure[]} figures
 */

const WIDTHS = [27, 12, 12, 9, 18, 12];

/** @param {Pick<Group, 'title' | 'columns' | 'ratioOf'>} group */
export function printHead({ title, columns, ratioOf }) {
  console.log(`\n${title}  (µs per call, medians; ratio = ${ratioOf})`);
  console.log(row(['', ...columns, 'ratio', 'quartiles', 'target']));
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
