// Draws a session tree with box characters.

/**
 * @typedef {object} TreeNode
 * @property {string} id
 * @property {string} actor
 * @property {string} status
 * @property {number} messages
 * @property {string} opening what the user said first
 * @property {boolean} summarized
 * @property {TreeNode[]} children
 */

/** More siblings than this are summed up in one line. */
const MAX_SIBLINGS = 40;

const OPENING_WIDTH = 44;

/** @param {TreeNode} root @returns {string} */
export function renderTree(root) {
  return [describe(root), ...branches(root, '')].join('\n');
}

function* branches(node, indent) {
  const shown = node.children.slice(0, MAX_SIBLINGS);
  const hidden = node.children.length - shown.length;
  for (const [index, child] of shown.entries()) {
    const last = hidden === 0 && index === shown.length - 1;
    yield `${indent}${last ? '└─' : '├─'} ${describe(child)}`;
    yield* branches(child, `${indent}${last ? '   ' : '│  '}`);
  }
  if (hidden > 0) yield `${indent}└─ … and ${hidden} more`;
}

function describe({ id, actor, status, messages, opening, summarized }) {
  const facts = [id, actor.padEnd(14), status.padEnd(6), `${messages} messages`.padStart(13)];
  facts.push(summarized ? 'summarized' : '          ', quote(opening));
  return facts.join('  ').trimEnd();
}

// A transcript may hold anything, terminal escapes included: only what has a shape is printed.
function quote(text) {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  if (line === '') return '';
  const characters = [...line];
  if (characters.length <= OPENING_WIDTH) return `“${line}”`;
  return `“${characters.slice(0, OPENING_WIDTH).join('').trimEnd()}…”`;
}
