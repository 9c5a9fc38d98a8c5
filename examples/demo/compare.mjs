// Compares what a store answered with what was put in, and says where the two part ways.

import { isDeepStrictEqual } from 'node:util';

const EXCERPT_LENGTH = 120;

/**
 * Each field holds the method's answer, or the error it rejected with.
 *
 * @typedef {object} SessionAnswers
 * @property {unknown} single getSession
 * @property {unknown} view drill
 * @property {unknown} edges getChildren
 * @property {unknown[]} singleEdges getSubSession of each expected edge
 * @property {unknown} ancestry getAncestry
 * @property {unknown} messages loadMessages
 * @property {unknown} envelopes loadSessionMessages
 * @property {unknown} summary getSummary
 */

/**
 * @typedef {object} Answers
 * @property {unknown} project
 * @property {SessionAnswers[]} sessions
 * @property {unknown[]} bundles of the sessions, one each; `null` where none was archived
 * @property {unknown} archive how its bundles stand
 * @property {{ id: string, branch: unknown, isThere: boolean }[]} workspaces
 */

/**
 * @param {import('./desk.mjs').Expectations} expected
 * @param {Answers} answers
 * @returns {string[]}
 */
export function compareAll(expected, answers) {
  /** @type {string[]} */
  const differences = [];
  const same = (what, wanted, got) => {
    if (!isDeepStrictEqual(got, wanted)) differences.push(difference(what, wanted, got));
  };
  same(`project ${expected.project.id}`, expected.project, answers.project);
  for (const [index, wanted] of expected.sessions.entries()) {
    compareSession(wanted, answers.sessions[index], same);
    compareBundle(wanted, answers.bundles[index], same);
  }
  compareArchive(expected, answers, same);
  for (const [index, { id, branch }] of expected.workspaces.entries()) {
    same(`workspace ${id}`, { id, branch, isThere: true }, answers.workspaces[index]);
  }
  return differences;
}

function compareSession(wanted, got, same) {
  const { session, children, ancestry } = wanted;
  const summary = isEvicted(wanted) ? null : wanted.summary;
  const of = (what) => `${what} of session ${session.id}`;
  same(`session ${session.id}`, session, got.single);
  same(of('drilled view'), { session, children, ancestry }, got.view);
  same(of('children'), children, got.edges);
  same(of('ancestry'), ancestry, got.ancestry);
  same(of('summary'), summary, got.summary);
  for (const [index, edge] of children.entries()) {
    same(`sub-session ${edge.id}`, edge, got.singleEdges[index]);
  }
  compareMessages(wanted, got, same, of);
}

// As text, because the order of a message's keys is part of what is promised.
function compareMessages(wanted, got, same, of) {
  const texts = isEvicted(wanted) ? [] : wanted.messages;
  same(
    of('messages'),
    texts,
    asList(got.messages, (message) => JSON.stringify(message)),
  );
  const envelopes = isEvicted(wanted) ? [] : envelopesOf(wanted);
  same(of('message envelopes'), envelopes, asList(got.envelopes, readEnvelope(wanted)));
}

// A bundle stays when its session is restored.
function compareBundle(wanted, got, same) {
  const { session, summary, bundle } = wanted;
  if (bundle === null) return;
  const { id: sessionId, tenantId } = session;
  const of = (what) => `${what} of bundle ${bundle.archiveRef}`;
  if (got instanceof Error) {
    same(`bundle ${bundle.archiveRef}`, undefined, got);
    return;
  }
  const { messages, summaryRef, ...identity } = got;
  same(of('identity'), { subSessionId: bundle.subSessionId, sessionId, tenantId }, identity);
  same(of('summary'), summary, summaryRef);
  same(of('messages'), envelopesOf(wanted), asList(messages, readEnvelope(wanted)));
}

function compareArchive({ sessions }, answers, same) {
  const refs = sessions.flatMap(({ bundle }) => bundle?.archiveRef ?? []);
  const wanted = refs.sort().map((archiveRef) => ({ archiveRef, state: 'complete' }));
  const got = asList(answers.archive, (state) => state);
  if (Array.isArray(got)) got.sort((a, b) => (a.archiveRef < b.archiveRef ? -1 : 1));
  same('archive', wanted, got);
}

function isEvicted({ bundle }) {
  return bundle !== null && !bundle.restored;
}

// The store dates the messages. Their dates are known where they were read before archiving.
function envelopesOf({ session, messages, messageIds, bundle }) {
  const { id: sessionId, tenantId } = session;
  return messages.map((text, index) => {
    const at = bundle?.messageDates[index] ?? 'dated';
    return { id: messageIds[index], sessionId, tenantId, text, at };
  });
}

function readEnvelope({ bundle }) {
  return ({ message, at, ...rest }) => {
    const date = at instanceof Date ? at.toISOString() : 'not dated';
    const known = bundle !== null || date === 'not dated';
    return { ...rest, text: JSON.stringify(message), at: known ? date : 'dated' };
  };
}

function asList(answer, read) {
  return Array.isArray(answer) ? answer.map(read) : answer;
}

/** @returns {string} one line: what differs, at which place, and how */
function difference(what, wanted, got) {
  if (got instanceof Error) return `${what}: ${got.name}: ${got.message}`;
  const { path, wanted: left, got: right } = firstDifference(wanted, got, '');
  const [putIn, read] = excerpts(show(left), show(right));
  return `${what}${path === '' ? '' : ` at ${path}`}: put in ${putIn}, read ${read}`;
}

function firstDifference(wanted, got, path) {
  if (isBranch(wanted) && isBranch(got) && Array.isArray(wanted) === Array.isArray(got)) {
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
      if (!isDeepStrictEqual(wanted[key], got[key])) {
        return firstDifference(wanted[key], got[key], `${path}/${key}`);
      }
    }
  }
  return { path, wanted, got };
}

function isBranch(value) {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

function show(value) {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

// Of two long texts, the part where they part ways.
function excerpts(left, right) {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  const from = same <= EXCERPT_LENGTH / 2 ? 0 : same - EXCERPT_LENGTH / 4;
  return [left, right].map((text) => {
    const end = from + EXCERPT_LENGTH;
    return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`;
  });
}
