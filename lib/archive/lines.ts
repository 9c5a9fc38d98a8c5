/** Messages as the lines of a log. */

import { invalid } from '../arguments';
import type { SessionMessage } from '../message';

/** Longest text, in characters, unless a single message is longer. */
const MAX_TEXT = 4 << 20;

/** Texts of whole lines, several so that none grows without bound. */
export function linesOf(argument: string, messages: readonly SessionMessage[]): string[] {
  if (!Array.isArray(messages)) throw invalid(argument, 'an array', messages, linesOf);
  const texts: string[] = [];
  let text = '';
  for (const { id, sessionId, tenantId, message, at } of messages as readonly SessionMessage[]) {
    text += `${JSON.stringify({ id, sessionId, tenantId, message, at })}\n`;
    if (text.length >= MAX_TEXT) {
      texts.push(text);
      text = '';
    }
  }
  if (text !== '') texts.push(text);
  return texts;
}
