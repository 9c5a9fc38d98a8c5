import type { Message } from 'namzu-native';

export interface AwkwardMessage {
  readonly title: string;
  readonly message: Message;
}

/** A message with anything in it: stores promise to keep more than the types name. */
export function loose(message: object): Message {
  return message as Message;
}

function nested(depth: number): object {
  let value: object = { bottom: true };
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? { deeper: value } : [value];
  return value;
}

const TOOL_CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'book', arguments: '{"seat":"12A","note":"caf\\u00e9"}' },
} as const;

/** Messages that a store which interprets, sorts, trims or re-encodes them would damage. */
export const AWKWARD_MESSAGES: readonly AwkwardMessage[] = [
  { title: 'a system message', message: { role: 'system', content: 'You are terse.' } },
  { title: 'an empty content', message: { role: 'user', content: '' } },
  { title: 'a null content', message: { role: 'assistant', content: null } },
  {
    title: 'tool calls',
    message: { role: 'assistant', content: null, toolCalls: [TOOL_CALL, { ...TOOL_CALL, id: '' }] },
  },
  { title: 'no tool calls', message: { role: 'assistant', content: 'x', toolCalls: [] } },
  { title: 'a tool result', message: { role: 'tool', content: '{}', toolCallId: 'call_1' } },
  {
    title: 'a timestamp and a cache hint',
    message: { role: 'user', content: 'x', timestamp: 1_700_000_000_000, cacheHint: 'ephemeral' },
  },
  {
    title: 'unknown fields',
    message: loose({ role: 'user', content: 'x', vendor: { model: 'm', logprobs: [0.1, null] } }),
  },
  { title: 'an unknown role', message: loose({ role: 'critic', content: 7 }) },
  {
    title: 'keys in an order of their own',
    message: loose({ zulu: 1, content: 'x', alpha: { b: 1, a: 2 }, role: 'user', '': 'empty key' }),
  },
  {
    title: 'keys that look like numbers',
    message: loose({ '10': 'a', '9': 'b', role: 'user', content: 'x', '-1': 'c' }),
  },
  {
    title: 'keys of the stored envelope',
    message: loose({
      id: 'msg_mine',
      sessionId: 'ses_mine',
      tenantId: 'tnt_mine',
      message: { message: 'inner' },
      at: '2026-01-02T03:04:05.678Z',
      role: 'user',
      content: 'x',
    }),
  },
  {
    title: 'strings that look like dates, where records have dates',
    message: loose({
      role: 'user',
      content: '2026-01-02T03:04:05.678Z',
      createdAt: '2026-01-02T03:04:05.678Z',
      spawnedAt: '2026-01-02T03:04:05.678Z',
      prevArtifactRef: { at: '2026-01-02T03:04:05.678Z' },
    }),
  },
  {
    title: 'values that JSON turns into others',
    message: loose({
      role: 'user',
      content: 'x',
      gone: undefined,
      dropped: () => 1,
      date: new Date(0),
      nan: Number.NaN,
      infinite: Number.POSITIVE_INFINITY,
      list: [undefined, Number.NaN],
    }),
  },
  {
    title: 'numbers at the edges',
    message: loose({
      role: 'user',
      content: 'x',
      numbers: [1e21, -0, 0.1, 1e-7, 5e-324, 1.7976931348623157e308, 2 ** 53, -(2 ** 53) - 2, 1.0],
    }),
  },
  { title: 'NUL characters', message: { role: 'user', content: 'a\0b\0' } },
  { title: 'a NUL in a key', message: loose({ role: 'user', content: 'x', 'a\0b': 1 }) },
  {
    title: 'control characters, quotes and backslashes',
    message: { role: 'user', content: '\b\t\n\v\f\r\x1b\x7f"\'\\/ \\n \\u0041 \\' },
  },
  {
    title: 'line breaks of every kind',
    message: { role: 'user', content: '\r\n\n\r\u2028\u2029\u0085' },
  },
  { title: 'a byte order mark', message: { role: 'user', content: '\ufeffx\ufeff\ufffe\uffff' } },
  {
    title: 'emoji, composed and decomposed letters, right-to-left text',
    message: { role: 'user', content: '👩‍👩‍👧‍👦🏳️‍🌈 é e\u0301 ✈ 東京 שלום \u202e' },
  },
  { title: 'a lone high surrogate', message: { role: 'user', content: 'a\ud83d' } },
  { title: 'a lone low surrogate', message: { role: 'user', content: '\ude00b' } },
  { title: 'surrogates the wrong way round', message: { role: 'user', content: '\ude00\ud83d' } },
  {
    title: 'lone surrogates in keys',
    message: loose({ role: 'user', content: 'x', '\ud83d': 1, 'k\ude00': { '\udfff': 2 } }),
  },
  {
    title: 'an own key __proto__',
    message: loose(
      JSON.parse('{"role":"user","content":"x","__proto__":{"polluted":true}}') as object,
    ),
  },
  {
    title: 'names of methods as keys',
    message: loose({ role: 'user', content: 'x', constructor: 1, hasOwnProperty: 2, toJSON: 3 }),
  },
  { title: 'a nesting of 500', message: loose({ role: 'user', content: 'x', tree: nested(500) }) },
  {
    title: 'a thousand keys',
    message: loose({
      role: 'user',
      content: 'x',
      ...Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, i])),
    }),
  },
  { title: 'a string of 16 MiB', message: { role: 'user', content: 'ä0\n"'.repeat(2 ** 22) } },
];

/** What a store owes for a message: whatever `JSON.stringify` keeps of it. */
export function kept(message: Message): Message {
  return JSON.parse(JSON.stringify(message)) as Message;
}
