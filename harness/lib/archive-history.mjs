/** What the processes of the proof recorded, told apart by session, and judged. */

import { tokensFrom } from './archive-calls.mjs';
import { mayBeEvicted, problemsOf } from './log-history.mjs';

const EVICTED = 'SessionEvictedError';
const NOT_FOUND = /not found/;
/** How a call may be refused, as others change the same at the same time. */
const REFUSALS = {
  append: [EVICTED],
  'append with a key': [EVICTED],
  replace: [EVICTED],
  // A message that a page starts at was replaced, or is in a bundle only.
  page: ['InvalidArgumentError'],
  archive: ['SubSessionNotArchivableError', EVICTED],
  restore: ['SubSessionNotArchivedError', EVICTED],
  restoreSession: ['SubSessionNotArchivedError', EVICTED],
  'create edge': [NOT_FOUND],
  'change edge': [EVICTED, NOT_FOUND],
  'delete edge': [EVICTED],
};

function isAllowed(what, { kind, message }) {
  return (REFUSALS[what] ?? []).some((one) =>
    one instanceof RegExp ? one.test(message) : one === kind,
  );
}

export class History {
  constructor(world) {
    this.all = [];
    this.problems = [];
    this.counts = {};
    this.refused = {};
    this.cut = 0;
    this.bundles = new Map();
    this.lists = [];
    this.listed = [];
    this.sessions = new Map();
    for (const { id, children } of world.projects) {
      for (const child of children) this.begin(child, id);
    }
    for (const one of world.doomed) this.begin(one, world.projects[0].id);
    for (const { id, parents } of world.projects) {
      for (const session of parents) this.listed.push(always(session, id));
    }
  }

  begin({ id, initial }, project) {
    const from = Number.NEGATIVE_INFINITY;
    const appends = [{ tokens: initial, call: from, answer: from, sure: true }];
    const none = { replacements: [], evictions: [], restorations: [], deletions: [], reads: [] };
    this.sessions.set(id, { id, project, appends, refusals: [], ...none });
    this.listed.push(always(id, project));
  }

  /** Takes a call, and its answer, which says `ok`, `error`, or neither where it was cut off. */
  take(record) {
    const { call, answer, ok, error, ...details } = record;
    this.all.push(record);
    const { what, session } = details;
    if (error) {
      const text = [error.kind, error.reason].filter(Boolean).join(' ');
      count(this.refused, `${what}: ${text}`);
      if (!isAllowed(what, error)) {
        const said = `${what} ${JSON.stringify(details)}: ${error.kind}: ${error.message}`;
        this.problems.push(said);
      } else if (error.kind === EVICTED && what !== 'restore') {
        this.sessions.get(session)?.refusals.push({ what, call, answer });
      }
      return;
    }
    if (ok) count(this.counts, what);
    else this.cut += 1;
    const times = { what: `${what} ${details.name}`, call, answer, sure: ok !== undefined };
    TAKEN[what]?.(this, this.sessions.get(session), { ...details, ...times }, ok);
  }

  /** A bundle of a session, which holds what was its log at some moment. */
  bundle(session, archiveRef, place, times) {
    if (!this.bundles.has(archiveRef)) {
      this.bundles.set(archiveRef, { session, archiveRef, place, ...times, read: false });
    }
  }

  /** All that is wrong so far. */
  judge() {
    const problems = [...this.problems];
    for (const [id, history] of this.sessions) {
      problems.push(...problemsOf(history).map((problem) => `session ${id}: ${problem}`));
      for (const refusal of history.refusals) {
        if (mayBeEvicted(refusal, history)) continue;
        problems.push(`session ${id}: refused as evicted, which it was not: ${said(refusal)}`);
      }
    }
    for (const list of this.lists) problems.push(...this.wrongList(list));
    return problems;
  }

  wrongList({ what, project, ids, call, answer }) {
    const times = new Map();
    for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
    const problems = [];
    for (const one of this.listed.filter((known) => known.project === project)) {
      const moved = one.moves.some((move) => move.call < answer && move.answer > call);
      if (moved) continue;
      const found = times.get(one.id) ?? 0;
      const throughout = one.there < call && !(one.gone?.call < answer);
      const gone = one.gone?.sure && one.gone.answer < call;
      if (found > 1 || (throughout && found < 1) || (gone && found > 0)) {
        const at = `[${call}, ${answer}]`;
        problems.push(`${what} ${at}: ${one.id} is there ${found} times: ${JSON.stringify(one)}`);
      }
    }
    return problems;
  }
}

const always = (id, project) => ({ id, project, there: Number.NEGATIVE_INFINITY, moves: [] });

const said = ({ what, call, answer }) => `${what} [${call}, ${answer}]`;

function count(counts, key) {
  counts[key] = (counts[key] ?? 0) + 1;
}

const addition = (kind) => (_, session, call) =>
  session[kind].push({ ...call, tokens: tokensFrom(call.tokens) });

const reading = (_, session, call, ok) => {
  if (ok?.tokens !== undefined) session.reads.push({ ...call, tokens: tokensFrom(ok.tokens) });
};

const change = (kind) => (_, session, call) => session[kind].push(call);

function ofListed(set) {
  return (history, _, call) => {
    const one = history.listed.find(({ id }) => id === call.session);
    if (one) set(one, call);
  };
}

const TAKEN = {
  append: addition('appends'),
  'append with a key': addition('appends'),
  replace: addition('replacements'),
  load: reading,
  stream: reading,
  page: reading,
  restore: change('restorations'),
  restoreSession: change('restorations'),
  delete: (history, session, call) => {
    session.deletions.push(call);
    ofListed((one, gone) => (one.gone ??= gone))(history, session, call);
  },
  archive(history, session, call, ok) {
    if (call.evict) session.evictions.push(call);
    if (ok) history.bundle(session.id, ok.archiveRef, ok.place, call);
  },
  sweep(history, _, call, ok) {
    const { evict, project } = call;
    for (const [session, archiveRef] of ok?.archived ?? []) {
      if (evict) history.sessions.get(session).evictions.push(call);
      history.bundle(session, archiveRef, ok.place, call);
    }
    for (const error of ok?.failed ?? []) {
      count(history.refused, `archive in a sweep: ${error.kind} ${error.reason ?? ''}`);
      if (!isAllowed('archive', error)) history.problems.push(`sweep: ${JSON.stringify(error)}`);
    }
    if (ok || !evict) return;
    for (const session of history.sessions.values()) {
      if (session.project === project) session.evictions.push(call);
    }
  },
  'create listed'(history, _, { project, answer }, ok) {
    if (ok) history.listed.push({ ...always(ok.session, project), there: answer });
  },
  'delete listed': ofListed((one, call) => {
    one.gone = call;
  }),
  'move listed': ofListed((one, call) => one.moves.push(call)),
  list({ lists }, _, { what, project, call, answer }, ok) {
    if (ok) lists.push({ what, project, call, answer, ids: ok.ids });
  },
};
