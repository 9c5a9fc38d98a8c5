// Draws a session tree with box characters.

/**
 * @typedef {object} TreeNode
 * @property {string} id
 * @property {string[]} owners the present one last
 * @property {number} version of the ownership
 * @property {string} status
 * @property {number} messages
 * @property {string} opening what the user said first
 * @property {'' | 'summarized' | 'archived' | 'restored'} state
 * @property {number} bundled messages that are in the archive only
 * @property {string} branch that its workspace has checked out; empty without a workspace
 * @property {TreeNode[]} children
 */

/** More siblings than this are summed up in one line, those with a workspace excepted. */
const MAX_SIBLINGS = 40;

const OPENING_WIDTH = 44;

/** @param {TreeNode} root @returns {string} */
export function renderTree(root) {
  return [describe(root), ...branches(root, '')].join('\n');
}

function* branches(node, indent) {
  const shown = node.children.filter(({ branch }, index) => index < MAX_SIBLINGS || branch !== '');
  const hidden = node.children.length - shown.length;
  for (const [index, child] of shown.entries()) {
    const last = hidden === 0 && index === shown.length - 1;
    yield `${indent}${last ? '└─' : '├─'} ${describe(child)}`;
    yield* branches(child, `${indent}${last ? '   ' : '│  '}`);
  }
  if (hidden > 0) yield `${indent}└─ … and ${hidden} more`;
}

function describe({ id, owners, version, status, messages, opening, state, bundled, branch }) {
  const facts = [id, owners.join(' → ').padEnd(14), `v${version}`, status.padEnd(6)];
  facts.push(`${messages} messages`.padStart(13), state.padEnd(10));
  if (branch !== '') facts.push(`on ${branch}`);
  facts.push(bundled > 0 ? `${bundled} messages in the archive` : quote(opening));
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
