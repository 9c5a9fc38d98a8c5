import { describe, expect, it } from 'vitest';

interface Times {
  readonly what?: string;
  readonly call: number;
  readonly answer: number;
  readonly sure?: boolean;
}
interface Tokens extends Times {
  readonly tokens: readonly string[];
  readonly keyed?: boolean;
  readonly tail?: boolean;
  readonly bundle?: boolean;
}
interface LogHistory {
  readonly appends: Tokens[];
  readonly replacements: Tokens[];
  readonly evictions: Times[];
  readonly restorations: Times[];
  readonly deletions: Times[];
  readonly reads: Tokens[];
}
const checker = new URL('../../harness/lib/log-history.mjs', import.meta.url).href;
const { problemsOf }: { problemsOf: (history: LogHistory) => string[] } = await import(checker);

const at = (call: number, answer: number, tokens = '', more: Partial<Tokens> = {}): Tokens => ({
  what: 'call',
  call,
  answer,
  sure: true,
  tokens: tokens === '' ? [] : tokens.split(' '),
  ...more,
});
const unanswered = { sure: false };

/** A log that `a` and `b` were appended to, one after the other. */
function problems(more: Partial<LogHistory>): string[] {
  const none = { replacements: [], evictions: [], restorations: [], deletions: [], reads: [] };
  const appends = [at(1, 2, 'a'), at(3, 4, 'b'), ...(more.appends ?? [])];
  return problemsOf({ ...none, ...more, appends });
}

describe('the checker of logs accepts', () => {
  it.each<[string, Partial<LogHistory>]>([
    ['what was appended', { reads: [at(5, 6, 'a b')] }],
    ['a read before', { reads: [at(0, 0, '')] }],
    ['a read during an append, before it', { reads: [at(2, 5, 'a')] }],
    ['a read during an append, after it', { reads: [at(2, 5, 'a b')] }],
    [
      'what was not answered, or not',
      { appends: [at(5, 9, 'c', unanswered)], reads: [at(10, 11, 'a b'), at(12, 13, 'a b c')] },
    ],
    ['a replacement', { replacements: [at(5, 6, 'r')], reads: [at(7, 8, 'r')] }],
    [
      'an append after a replacement',
      { replacements: [at(5, 6, 'r')], appends: [at(7, 8, 'c')], reads: [at(9, 10, 'r c')] },
    ],
    ['nothing of what is evicted', { evictions: [at(5, 6)], reads: [at(7, 8, '')] }],
    [
      'all of what was put back',
      { evictions: [at(5, 6)], restorations: [at(7, 8)], reads: [at(9, 10, 'a b')] },
    ],
    ['nothing of what is deleted', { deletions: [at(5, 9)], reads: [at(6, 7, '')] }],
    ['the end of a log', { reads: [at(5, 6, 'a b'), at(5, 6, 'b', { tail: true })] }],
    [
      'the same twice with a key',
      {
        appends: [at(5, 6, 'k', { keyed: true }), at(7, 8, 'k', { keyed: true })],
        reads: [at(9, 10, 'a b k')],
      },
    ],
    [
      'a bundle of an earlier moment',
      {
        appends: [at(9, 10, 'c')],
        reads: [at(5, 12, 'a b', { bundle: true }), at(13, 14, 'a b c')],
      },
    ],
  ])('%s', (_, history) => {
    expect(problems(history)).toStrictEqual([]);
  });
});

describe('the checker of logs refuses', () => {
  it.each<[string, string, Partial<LogHistory>]>([
    ['a part', 'b was acknowledged and is missing', { reads: [at(5, 6, 'a')] }],
    ['nothing', 'a was acknowledged', { reads: [at(5, 6, '')] }],
    ['another order', 'which was acknowledged before', { reads: [at(5, 6, 'b a')] }],
    ['a message twice', 'there twice', { reads: [at(5, 6, 'a b a')] }],
    ['a message of nowhere', 'before anything asked for it', { reads: [at(5, 6, 'a b x')] }],
    [
      'a message of later',
      'before anything asked for it',
      { appends: [at(9, 10, 'c')], reads: [at(5, 6, 'a b c')] },
    ],
    [
      'a part of a batch',
      'are missing',
      { appends: [at(5, 6, 'c d')], reads: [at(5, 8, 'a b c')] },
    ],
    [
      'a batch that came apart',
      'came apart',
      { appends: [at(5, 9, 'c d'), at(5, 9, 'e')], reads: [at(10, 11, 'a b c e d')] },
    ],
    [
      'what was replaced',
      'replaced this before',
      { replacements: [at(5, 6, 'r')], reads: [at(7, 8, 'a b')] },
    ],
    [
      'what was replaced, behind it',
      'was replaced and is there',
      { replacements: [at(5, 6, 'r')], reads: [at(7, 8, 'r b')] },
    ],
    [
      'a part of a replacement',
      'a part of a replacement',
      { replacements: [at(5, 6, 'r s')], reads: [at(7, 8, 'r')] },
    ],
    [
      'nothing after it was put back',
      'a was acknowledged',
      { evictions: [at(5, 6)], restorations: [at(7, 8)], reads: [at(9, 10, '')] },
    ],
    [
      'all of what is evicted',
      'an evicted session has',
      { evictions: [at(5, 6)], reads: [at(7, 8, 'a b')] },
    ],
    [
      'all of what is deleted',
      'a deleted session has',
      { deletions: [at(5, 6)], reads: [at(7, 8, 'a b')] },
    ],
    [
      'an empty bundle',
      'a was acknowledged',
      { evictions: [at(5, 6)], reads: [at(5, 6, '', { bundle: true })] },
    ],
    [
      'two orders',
      'no prefix of each other',
      {
        appends: [at(5, 9, 'c'), at(5, 9, 'd')],
        reads: [at(6, 10, 'a b c d'), at(6, 10, 'a b d c')],
      },
    ],
    [
      'a step back',
      'a longer log before a shorter one',
      { appends: [at(5, 20, 'c')], reads: [at(6, 7, 'a b c'), at(8, 9, 'a b')] },
    ],
    [
      'an end with a gap',
      'with a gap',
      { appends: [at(5, 6, 'c')], reads: [at(7, 8, 'a b c'), at(7, 8, 'a c', { tail: true })] },
    ],
  ])('%s', (_, expected, history) => {
    expect(problems(history).join('\n')).toContain(expected);
  });
});
