// What a run has found so far, in one place: a run that crashes keeps it.

export const record = {
  /** @type {import('./report.mjs').Group[]} */
  groups: [],
  /** Cases that could not be measured. @type {{ group: string, name: string, error: string }[]} */
  failures: [],
  /** What is not there to compare with, and why. @type {string[]} */
  skipped: [],
  /** Where a peer does not answer as our store does. @type {{ baseline: string, how: string }[]} */
  disagreements: [],
};
