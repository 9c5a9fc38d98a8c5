// Reads what the first process left behind: from the store, from the archive, and of the
// worktrees. A refusal is an answer too, and to be reported like any other that differs.

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { branchOfWorktree } from './git.mjs';

/**
 * Each record by every method that answers it.
 *
 * @param {import('namzu-native').SessionStore} store
 * @param {import('./desk.mjs').Expectations} expectations
 * @returns {Promise<Pick<import('./compare.mjs').Answers, 'project' | 'sessions'>>}
 */
export async function readStore(store, { project, sessions }) {
  const { tenantId } = project;
  const answers = { project: await settled(store.getProject(project.id, tenantId)), sessions: [] };
  for (const { session, children } of sessions) {
    const { id } = session;
    const [single, view, edges, ancestry, messages, envelopes, summary, ...singleEdges] =
      await Promise.all([
        settled(store.getSession(id, tenantId)),
        settled(store.drill(id, tenantId)),
        settled(store.getChildren(id, tenantId)),
        settled(store.getAncestry(id, tenantId)),
        settled(store.loadMessages(id, tenantId)),
        settled(store.loadSessionMessages(id, tenantId)),
        settled(store.getSummary(id, tenantId)),
        ...children.map((edge) => settled(store.getSubSession(edge.id, tenantId))),
      ]);
    const linkage = { view, edges, singleEdges, ancestry };
    answers.sessions.push({ single, ...linkage, messages, envelopes, summary });
  }
  return answers;
}

/**
 * The bundles of the sessions that were archived, in the order of the sessions, and how the
 * archive stands.
 *
 * @param {import('namzu-native').DiskArchiveBackend} archive
 * @param {import('./desk.mjs').Expectations} expectations
 * @returns {Promise<Pick<import('./compare.mjs').Answers, 'bundles' | 'archive'>>}
 */
export async function readArchive(archive, { sessions }) {
  const bundles = sessions.map(
    ({ bundle }) => bundle && settled(archive.restore(bundle.archiveRef)),
  );
  return { bundles: await Promise.all(bundles), archive: await settled(archive.verify()) };
}

/**
 * @param {import('./desk.mjs').Expectations} expectations
 * @returns {Promise<Pick<import('./compare.mjs').Answers, 'workspaces'>>}
 */
export async function readWorkspaces({ repository, workspaces }) {
  const answers = workspaces.map(async ({ id, path }) => {
    const branch = await settled(branchOfWorktree(repository, path));
    const isThere = await access(join(path, 'README.md')).then(
      () => true,
      () => false,
    );
    return { id, branch, isThere };
  });
  return { workspaces: await Promise.all(answers) };
}

function settled(promise) {
  return promise.catch((error) => error);
}
