// What is to be reached, and by whose wish: `speed` is the table of how fast the stores are to be,
// the other origins are what single parts of the package promise. A figure is found by its group's
// title and its name. Titles say how large what was measured is: a smaller run has other titles, so
// nothing is judged by a bound that was meant for more.

/**
 * @typedef {object} Target
 * @property {'speed' | 'engine' | 'reading' | 'handoff' | 'retention'} origin
 * @property {string} title of the group
 * @property {string} name of the figure
 * @property {number} [atLeast] for the median of the ratio, or of the difference
 * @property {number} [atMost]
 * @property {string} [unit] of a difference; a ratio has none
 * @property {boolean} [syncs] whether it means something only where a sync reaches a disk
 */

/** @typedef {'reached' | 'missed' | 'unclear' | 'not measured'} State */

const obvious = 'the obvious node:fs/promises store';
const openings = ['open, getSession', 'open, drill', 'open, getAncestry'];
const linkage = ['drill', 'getChildren', 'getAncestry', 'deleteSubSession', 'deleteSession'];

/** @type {readonly Target[]} */
const TARGETS = [
  ...of('speed', `disk store, relaxed, against ${obvious}`, [
    { name: 'getSession', atLeast: 4 },
    { name: 'appendMessage', atLeast: 6 },
    { name: 'loadMessages (1,000)', atLeast: 2.5 },
  ]),
  ...of('speed', `disk store, full, against ${obvious}`, [
    { name: 'appendMessage', atLeast: 1, syncs: true },
    { name: 'createSession × 32', atLeast: 4, syncs: true },
    { name: 'createSubSession × 32', atLeast: 4, syncs: true },
  ]),
  ...of('speed', 'disk store, full, against better-sqlite3 FULL', [
    { name: 'appendMessage', atLeast: 1, syncs: true },
    { name: 'appendMessage × 32', atLeast: 4, syncs: true },
  ]),
  ...of(
    'speed',
    'disk store, relaxed, by the number of edges in the root: 100,000',
    linkage.map((name) => ({ name, atMost: 1.5 })),
  ),
  ...of('speed', 'memory store against the plain Map store', [
    { name: 'appendMessage', atLeast: 1.2 },
  ]),
  ...of('speed', 'memory store against one that scans, 10,000 edges', [
    { name: 'drill, with children', atLeast: 20 },
  ]),
  ...of(
    'speed',
    'a process’s first answer, on 100,000 edges',
    openings.map((name) => ({ name, atMost: 3 })),
  ),
  ...of('engine', 'engine: full, against bare calls that sync', [
    { name: 'appendMessage : write, fdatasync', atMost: 2, syncs: true },
    { name: 'createSession × 32 : fdatasync', atMost: 1, syncs: true },
  ]),
  ...of('engine', 'engine: full, by the number of writers', [
    { name: 'appendMessage', atLeast: 8, syncs: true },
  ]),
  ...of('engine', 'engine: a log of 1,000,000 messages', [
    { name: 'appendMessage, full', atMost: 1.2, syncs: true },
    { name: 'appendMessage, relaxed', atMost: 1.2 },
  ]),
  ...of('engine', 'resident memory, on 100,000 edges', [
    { name: 'after getSession', atMost: 100, unit: 'MB' },
    { name: 'after getSession and drill', atMost: 100, unit: 'MB' },
  ]),
  ...of('reading', 'reading: the last 50 messages of 1,000,000', [
    { name: 'loadMessages, limit 50', atMost: 3 },
  ]),
  ...of('reading', 'reading: all 50,000 messages of a log', [
    { name: 'streamMessages', atMost: 1.3 },
  ]),
  ...of('handoff', 'handoff: a broadcast to 8, full', [
    { name: 'executeBroadcastHandoff', atMost: 2, unit: 'ms', syncs: true },
  ]),
  ...of('handoff', 'handoff: one recipient with a git worktree, full', [
    { name: 'executeSingleHandoff', atMost: 1.3 },
  ]),
  ...of('retention', 'retention: a sweep that archives 1,000 edges, relaxed', [
    { name: 'sweep', atLeast: 4 },
  ]),
];

function of(origin, title, targets) {
  return targets.map((target) => ({ origin, title, ...target }));
}

/** @type {string | undefined} */
let whySyncsMeanNothing;

/**
 * Where a sync reaches no disk, nothing that syncs is judged.
 *
 * @param {string} why
 */
export function leaveOutSyncs(why) {
  whySyncsMeanNothing = why;
}

/** @param {string} title of a group @param {string} name of a figure @returns {Target | undefined} */
export function targetOf(title, name) {
  const found = TARGETS.find((target) => target.title === title && target.name === name);
  return found?.syncs && whySyncsMeanNothing !== undefined ? undefined : found;
}

/**
 * Reached or missed only where at least three quarters of the rounds say so.
 *
 * @param {import('./harness.mjs').Spread} figure
 * @param {Target} target
 * @returns {State}
 */
export function judge({ q1, q3 }, { atLeast = -Infinity, atMost = Infinity }) {
  if (q1 >= atLeast && q3 <= atMost) return 'reached';
  return q3 < atLeast || q1 > atMost ? 'missed' : 'unclear';
}

/**
 * Every target, whether or not there is a figure for it.
 *
 * @param {typeof import('./record.mjs').record} record
 */
export function judgements({ groups, failures, skipped }) {
  return TARGETS.map((target) => {
    const group = groups.find(({ title }) => title === target.title);
    const figure = group?.figures.find(({ name }) => name === target.name);
    if (figure?.target !== undefined) {
      const { ratio } = figure;
      return { ...target, state: judge(ratio, target), figure: ratio };
    }
    return { ...target, state: /** @type {State} */ ('not measured'), why: whyNot(target) };
  });

  function whyNot({ title, name, syncs }) {
    if (syncs && whySyncsMeanNothing !== undefined) return whySyncsMeanNothing;
    const failure = failures.find((one) => one.group === title && one.name === name);
    if (failure !== undefined) return `failed: ${failure.error}`;
    // Each starts with the name of what is missing.
    return skipped.find((why) => title.includes(why.split(':')[0])) ?? 'not part of this run';
  }
}
