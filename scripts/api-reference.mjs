/** Writes the reference of the API from the declarations and their documentation. */

import { createRequire } from 'node:module';

// Loaded late: this file may be imported before the packages are installed.
const load = createRequire(import.meta.url);

const HEAD = `<!-- Generated from the sources by \`npm run docs\`: change it there. -->

# API reference

Everything that \`namzu-native\` exports. What belongs together is explained in
[the concepts](concepts.md); \`namzu-native/conformance\` at the end of
[switching](switching.md).
`;

/** Sections in order, each with what belongs there. */
const SECTIONS = [
  ['Classes', (ts, node) => ts.isClassDeclaration(node) && !isError(node)],
  ['Functions', (ts, node) => ts.isFunctionDeclaration(node)],
  ['Errors', (ts, node) => ts.isClassDeclaration(node) && isError(node)],
  ['Interfaces', (ts, node) => ts.isInterfaceDeclaration(node)],
  ['Types', (ts, node) => ts.isTypeAliasDeclaration(node)],
  ['Constants', (ts, node) => ts.isVariableStatement(node)],
];

/**
 * The reference as Markdown.
 *
 * @param declarations the text of `index.d.ts`
 */
export function apiReference(declarations) {
  const ts = load('typescript');
  const file = ts.createSourceFile('index.d.ts', declarations, ts.ScriptTarget.Latest, true);
  const entries = file.statements
    .filter((node) => isExported(ts, node) || isBase(ts, node))
    .map((node) => ({ node, name: nameOf(ts, node) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const context = { ts, file, names: new Set(entries.map(({ name }) => name)) };
  const sections = SECTIONS.map(([title, belongs]) => {
    const own = entries.filter(({ node }) => belongs(ts, node));
    return [`## ${title}`, ...own.map((entry) => describeEntry(context, entry))].join('\n\n');
  });
  return `${[HEAD.trim(), contents(entries, ts), ...sections].join('\n\n')}\n`;
}

function contents(entries, ts) {
  return SECTIONS.map(([title, belongs]) => {
    const links = entries
      .filter(({ node }) => belongs(ts, node))
      .map(({ name }) => `[\`${name}\`](#${name.toLowerCase()})`);
    return `**${title}:** ${links.join(', ')}`;
  }).join('\n\n');
}

function describeEntry(context, { node, name }) {
  const parts = [`### ${name}`, docOf(context, node), code(context, node)];
  if (!isExported(context.ts, node)) parts.splice(1, 0, 'Not exported: what classes above share.');
  for (const member of node.members ?? []) {
    const doc = docOf(context, member);
    if (doc === '' || isHidden(context.ts, member)) continue;
    const title = member.name === undefined ? 'constructor' : member.name.getText(context.file);
    parts.push(indent(`- \`${title}\`: ${doc}`));
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A declaration without its comments, and without what is private. */
function code({ ts, file }, node) {
  const printer = ts.createPrinter({ removeComments: true });
  const text = printer
    .printNode(ts.EmitHint.Unspecified, node, file)
    .replace(/^export (declare )?/, '')
    .split('\n')
    .filter((line) => !/^\s+(private |#)/.test(line))
    .join('\n')
    .replaceAll('    ', '  ');
  return `\`\`\`ts\n${text}\n\`\`\``;
}

/** What is written above a declaration, as Markdown. */
function docOf(context, node) {
  const { ts } = context;
  const doc = ts.getJSDocCommentsAndTags(node).find((found) => ts.isJSDoc(found));
  if (doc === undefined) return '';
  const tags = (doc.tags ?? []).map((tag) => tagOf(context, tag));
  return [textOf(context, doc.comment), ...tags].filter((part) => part !== '').join('\n\n');
}

function tagOf(context, tag) {
  const text = textOf(context, tag.comment);
  const name = tag.tagName.text;
  if (name === 'example') return text;
  if (name === 'param') return `*${tag.name.getText(context.file)}*: ${text}`;
  if (name === 'throws') {
    // TypeScript reads the class of a \`@throws {X}\` as a type of its own.
    const type = tag.typeExpression?.type.getText(context.file);
    return `Throws ${linked(context, [type, text].filter(Boolean).join(' '))}`;
  }
  if (name === 'returns') return `Answers ${text}`;
  return `**${name}** ${text}`.trim();
}

/** A comment, with its links. */
function textOf(context, comment) {
  if (comment === undefined) return '';
  if (typeof comment === 'string') return comment.trim();
  return comment
    .map((part) => {
      if (part.name === undefined) return part.text;
      return link(context, part.name.getText(context.file).replace(/\s/g, ''));
    })
    .join('')
    .trim();
}

/** The first word of a text, linked when it is an export. */
function linked(context, text) {
  const [first, ...rest] = text.split(' ');
  return [context.names.has(first) ? link(context, first) : first, ...rest].join(' ');
}

function link({ names }, name) {
  const [owner] = name.split('.');
  return names.has(owner) ? `[\`${name}\`](#${owner.toLowerCase()})` : `\`${name}\``;
}

function indent(text) {
  return text.replaceAll('\n', '\n  ').replace(/^ +$/gm, '');
}

function nameOf(ts, node) {
  return ts.isVariableStatement(node)
    ? node.declarationList.declarations[0].name.text
    : node.name.text;
}

function isExported(ts, node) {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** What exported classes inherit, errors aside, belongs to them. */
function isBase(ts, node) {
  return ts.isClassDeclaration(node) && !isError(node);
}

function isError(node) {
  return /(Error|Conflict|Rejected|Exceeded)$/.test(node.name.text);
}

function isHidden(ts, member) {
  return member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ?? false;
}
