import {
  createAssistantMessage,
  createSystemMessage,
  createToolMessage,
  createUserMessage,
  type Message,
  type ToolCall,
} from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';

const CALL: ToolCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'book', arguments: '{}' },
};

const STAMP = { timestamp: expect.any(Number) };

describe('message creators', () => {
  it.each<[string, () => Message, object]>([
    ['system', () => createSystemMessage('be terse'), { role: 'system', content: 'be terse' }],
    [
      'system with a cache hint',
      () => createSystemMessage('be terse', 'cache'),
      { role: 'system', content: 'be terse', cacheHint: 'cache' },
    ],
    ['user', () => createUserMessage('hello'), { role: 'user', content: 'hello' }],
    ['empty user', () => createUserMessage(''), { role: 'user', content: '' }],
    ['assistant', () => createAssistantMessage('hi'), { role: 'assistant', content: 'hi' }],
    [
      'assistant that only calls tools',
      () => createAssistantMessage(null, [CALL]),
      { role: 'assistant', content: null, toolCalls: [CALL] },
    ],
    [
      'tool',
      () => createToolMessage('42', 'call_1'),
      { role: 'tool', content: '42', toolCallId: 'call_1' },
    ],
  ])('make a message: %s', (_, create, expected) => {
    expect(create()).toEqual({ ...expected, ...STAMP });
  });

  it('always set the key toolCalls on an assistant message', () => {
    expect(Object.keys(createAssistantMessage('hi'))).toContain('toolCalls');
    expect(createAssistantMessage('hi').toolCalls).toBeUndefined();
    expect(createAssistantMessage('hi', []).toolCalls).toStrictEqual([]);
  });

  it('stamp the current time of the JavaScript clock', () => {
    vi.useFakeTimers({ now: 1_234_567 });
    try {
      const messages = [
        createSystemMessage('x'),
        createUserMessage('x'),
        createAssistantMessage('x'),
        createToolMessage('x', 'y'),
      ];
      expect(messages.map(({ timestamp }) => timestamp)).toStrictEqual(Array(4).fill(1_234_567));
    } finally {
      vi.useRealTimers();
    }
  });

  it('make plain objects, new ones each time', () => {
    const [one, two] = [createUserMessage('x'), createUserMessage('x')];
    expect(one).not.toBe(two);
    expect(Object.getPrototypeOf(one)).toBe(Object.prototype);
    expect(Object.isFrozen(one)).toBe(false);
  });
});
