// What a line's messages may look like: the shape of this package, or OpenAI's chat shape, which
// differs in two names (`tool_calls`, `tool_call_id`) and in a few liberties. Fields that neither
// shape knows are kept as they are, because the store keeps them.

const ROLES = ['system', 'user', 'assistant', 'tool'];

/** OpenAI's names, and ours. */
const OURS = new Map([
  ['tool_calls', 'toolCalls'],
  ['tool_call_id', 'toolCallId'],
]);

/**
 * @param {unknown} value
 * @param {string} where for errors, for example `messages[3]`
 * @returns {import('namzu-native').Message}
 */
export function toMessage(value, where) {
  requireObject(value, where);
  const message = withOurNames(value, where);
  if (!ROLES.includes(message.role)) {
    throw new TypeError(
      `${where}.role must be one of ${ROLES.join(', ')}, not ${show(message.role)}`,
    );
  }
  if (message.role === 'assistant') checkAssistant(message, where);
  else requireString(message.content, `${where}.content`);
  if (message.role === 'tool') requireString(message.toolCallId, `${where}.toolCallId`);
  return message;
}

function withOurNames(value, where) {
  const entries = [];
  for (const [key, field] of Object.entries(value)) {
    const name = OURS.get(key);
    if (name !== undefined && Object.hasOwn(value, name)) {
      throw new TypeError(`${where} has both ${key} and ${name}`);
    }
    // OpenAI's client writes a null where a message has no tool calls; we leave the key out.
    if (name !== undefined && field === null) continue;
    entries.push([name ?? key, field]);
  }
  return Object.fromEntries(entries);
}

function checkAssistant(message, where) {
  // OpenAI lets an assistant that only calls tools leave its content out.
  if (message.content === undefined && message.toolCalls !== undefined) message.content = null;
  if (message.content !== null) requireString(message.content, `${where}.content`);
  if (message.toolCalls === undefined) return;
  if (!Array.isArray(message.toolCalls)) {
    throw new TypeError(`${where}.toolCalls must be an array, not ${show(message.toolCalls)}`);
  }
  for (const [index, call] of message.toolCalls.entries()) {
    checkToolCall(call, `${where}.toolCalls[${index}]`);
  }
}

function checkToolCall(call, where) {
  requireObject(call, where);
  requireString(call.id, `${where}.id`);
  if (call.type !== 'function') {
    throw new TypeError(`${where}.type must be "function", not ${show(call.type)}`);
  }
  requireObject(call.function, `${where}.function`);
  requireString(call.function.name, `${where}.function.name`);
  requireString(call.function.arguments, `${where}.function.arguments`);
}

function requireObject(value, where) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${where} must be an object, not ${show(value)}`);
  }
}

function requireString(value, where) {
  if (typeof value !== 'string')
    throw new TypeError(`${where} must be a string, not ${show(value)}`);
}

function show(value) {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
