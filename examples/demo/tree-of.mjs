/**
 * The tree to be printed, made from what was read back.
 *
 * @param {import('./desk.mjs').Expectations} expectations
 * @param {import('./compare.mjs').Answers} answers
 * @returns {import('./print-tree.mjs').TreeNode}
 */
export function treeOf({ sessions }, answers) {
  const archived = new Set();
  const children = new Map();
  for (const [index, { session }] of sessions.entries()) {
    const edges = asList(answers.sessions[index].edges);
    children.set(
      session.id,
      edges.map(({ childSessionId }) => childSessionId),
    );
    for (const { status, childSessionId } of edges) {
      if (status === 'archived') archived.add(childSessionId);
    }
  }
  const nodes = new Map();
  for (const [index, { session, bundle }] of sessions.entries()) {
    const { single, messages, summary } = answers.sessions[index];
    const workspace = answers.workspaces.find(({ id }) => id === single?.workspaceId);
    nodes.set(session.id, {
      id: session.id,
      owners: [...asList(single?.previousActors), single?.currentActor].map(nameOf),
      version: single?.ownerVersion ?? '?',
      status: single?.status ?? '(unreadable)',
      messages: asList(messages).length,
      opening: openingOf(asList(messages)),
      state: stateOf(bundle, archived.has(session.id), summary),
      bundled: archived.has(session.id) ? asList(answers.bundles[index]?.messages).length : 0,
      branch: typeof workspace?.branch === 'string' ? workspace.branch : '',
      children: [],
    });
  }
  for (const [id, node] of nodes) {
    node.children = children.get(id).flatMap((child) => nodes.get(child) ?? []);
  }
  return nodes.get(sessions[0].session.id);
}

function stateOf(bundle, isArchived, summary) {
  if (isArchived) return 'archived';
  if (bundle?.restored) return 'restored';
  return summary?.id === undefined ? '' : 'summarized';
}

function nameOf(actor) {
  return actor?.agentId ?? '(unreadable)';
}

function openingOf(messages) {
  const content = messages.find(({ role }) => role === 'user')?.content;
  return typeof content === 'string' ? content.slice(0, 200) : '';
}

function asList(answer) {
  return Array.isArray(answer) ? answer : [];
}
