/** How deep JSON may be. */

/**
 * The most levels of a record. `JSON.stringify` of Node.js before release 26 gives up at some
 * thousand levels, depending on its stack; what is kept has to be one thing on all of them.
 */
export const MAX_JSON_DEPTH = 2_000;

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [...'"\\[]{}'].map(
  (character) => character.charCodeAt(0),
);

/** Whether the text of a JSON value has more levels than `most`. */
export function isDeeperThan(text: string, most: number): boolean {
  // Each level has two brackets.
  if (text.length <= 2 * most) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

/** Where the string ends that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}
