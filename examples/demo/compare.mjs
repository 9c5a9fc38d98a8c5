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

/** @typedef {{ project: unknown, sessions: SessionAnswers[] }} Answers */

/**
 * @param {import('./populate.mjs').Expectations} expected
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
  }
  return differences;
}

function compareSession(wanted, got, same) {
  const { session, children, ancestry, summary } = wanted;
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
function compareMessages({ session, messages, messageIds }, got, same, of) {
  const texts = asList(got.messages, (message) => JSON.stringify(message));
  same(of('messages'), messages, texts);
  const envelopes = asList(got.envelopes, ({ message, at, ...rest }) => {
    return { ...rest, text: JSON.stringify(message), dated: at instanceof Date };
  });
  const { id: sessionId, tenantId } = session;
  const wanted = messages.map((text, index) => {
    return { id: messageIds[index], sessionId, tenantId, text, dated: true };
  });
  same(of('message envelopes'), wanted, envelopes);
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
