// Reads a JSONL file of conversations, `{ "messages": [...] }` a line. The whole file is read
// and checked before anything is stored, so that a mistake on the last line leaves nothing behind.

import { readFile } from 'node:fs/promises';
import { toMessage } from './message-shape.mjs';

/**
 * @typedef {object} Conversation
 * @property {number} line where it stands in the file, from 1
 * @property {import('namzu-native').Message[]} messages
 */

/** The file cannot be used; the message names the file and the line. */
export class ConversationFileError extends Error {
  name = 'ConversationFileError';
}

/**
 * @param {string} path
 * @returns {Promise<Conversation[]>}
 */
export async function readConversations(path) {
  /** @type {Buffer} */
  let bytes;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new ConversationFileError(`cannot read ${path}: ${error.message}`);
  }
  return parseConversations(bytes, path);
}

/**
 * @param {Buffer} bytes
 * @param {string} name of the file, for errors
 * @returns {Conversation[]}
 */
export function parseConversations(bytes, name) {
  const conversations = [];
  for (const [index, text] of linesOf(bytes, name)) {
    if (text.trim() === '') continue;
    const line = index + 1;
    try {
      conversations.push({ line, messages: parseLine(text) });
    } catch (error) {
      throw new ConversationFileError(`${name}:${line}: ${error.message}`);
    }
  }
  if (conversations.length === 0) {
    throw new ConversationFileError(`${name}: holds no conversation`);
  }
  return conversations;
}

/** @param {string} text @returns {import('namzu-native').Message[]} */
function parseLine(text) {
  const value = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !Array.isArray(value.messages)) {
    throw new TypeError('expected an object with an array "messages"');
  }
  return value.messages.map((message, index) => toMessage(message, `messages[${index}]`));
}

// Decoded line by line: that is how a byte that is no UTF-8 can be reported with its line. (A
// newline byte is never part of a longer UTF-8 sequence.)
/** @returns {Generator<[number, string]>} */
function* linesOf(bytes, name) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start = 0;
  for (let index = 0; start < bytes.length; index += 1) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    try {
      yield [index, decoder.decode(bytes.subarray(start, end))];
    } catch {
      throw new ConversationFileError(`${name}:${index + 1}: not valid UTF-8`);
    }
    start = end + 1;
  }
}
