/** Each kind of answer that the writers of `mixed-load` give. */
export const KINDS = ['project', 'session', 'append', 'edge', 'archive', 'handoff', 'deleted'];

/** How many answers there are of each kind. */
export function countKinds(answers, counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]))) {
  for (const { op } of answers) if (op in counts) counts[op] += 1;
  return counts;
}

/** Whether a root holds everything that the writers of `mixed-load` were answered. */

import {
  DefaultCapacityValidator,
  DiskArchiveBackend,
  DiskSessionStore,
  NOOP_HANDOFF_SINK,
  recoverHandoffs,
  verify,
  WorkspaceBackendRegistry,
} from 'namzu-native';

/** What a root does not hold of what writers were answered, in sentences. */
export async function checkLoad(rootDir, answers) {
  const store = new DiskSessionStore({ rootDir });
  const backend = new DiskArchiveBackend({ rootDir });
  const problems = [];
  const tenants = new Set(answers.map(({ tenantId }) => tenantId));
  const deleting = new Set(answers.filter(({ op }) => op === 'deleting').map(({ id }) => id));
  const archived = new Map();
  for (const { op, id, child, archiveRef } of answers) {
    if (op === 'archive') archived.set(child, { id, archiveRef });
  }

  const logs = new Map();
  async function log(id, tenantId) {
    if (!logs.has(id)) logs.set(id, await store.loadMessages(id, tenantId));
    return logs.get(id);
  }

  async function check(answer) {
    const { op, id, tenantId } = answer;
    switch (op) {
      case 'project':
        return (await store.getProject(id, tenantId)) !== null;
      case 'session':
        return deleting.has(id) || (await store.getSession(id, tenantId)) !== null;
      case 'append': {
        if (archived.has(id) || deleting.has(id)) return true; // looked at there
        const messages = await log(id, tenantId);
        // Appends take effect in the order of their calls, all of one or none.
        return Array.from({ length: answer.count }, (_, n) => answer.first + n).every((n) =>
          messages[n]?.content.startsWith(`${id} ${n} `),
        );
      }
      case 'edge': {
        const edge = await store.getSubSession(id, tenantId);
        const children = await store.getChildren(answer.parent, tenantId);
        return edge?.childSessionId === answer.child && children.some((child) => child.id === id);
      }
      case 'archive': {
        const edge = await store.getSubSession(id, tenantId);
        const { messages } = await backend.restore(answer.archiveRef);
        return (
          edge?.archiveRef === answer.archiveRef &&
          messages.at(-1)?.message.content.startsWith(`${answer.child} 0 `)
        );
      }
      case 'handoff': {
        const source = await store.getSession(id, tenantId);
        const children = await store.getChildren(id, tenantId);
        const to = children.map(({ childSessionId }) => childSessionId).sort();
        return (
          source?.ownerVersion === 1 &&
          source.status === (answer.several ? 'awaiting_merge' : 'idle') &&
          JSON.stringify(to) === JSON.stringify([...answer.to].sort())
        );
      }
      case 'deleting':
        return true;
      case 'deleted':
        return (await store.getSession(id, tenantId)) === null;
      default:
        throw new Error(`unknown answer ${op}`);
    }
  }

  try {
    for (const tenantId of tenants) {
      const workspaceRegistry = new WorkspaceBackendRegistry();
      const capacity = new DefaultCapacityValidator(store);
      const deps = { store, workspaceRegistry, capacity, events: NOOP_HANDOFF_SINK };
      // A workspace that the interrupted process made in its memory is gone with it.
      workspaceRegistry.register({ kind: 'git-worktree', dispose: async () => undefined });
      await recoverHandoffs(deps, tenantId);
    }
    for (const answer of answers) {
      const held = await check(answer).catch((error) => `${error.name}: ${error.message}`);
      if (held !== true) {
        problems.push(`${held === false ? 'lost' : held}: ${JSON.stringify(answer)}`);
      }
    }
    for (const { id, tenantId } of answers.filter(({ op }) => op === 'session')) {
      if (deleting.has(id) || archived.has(id)) continue;
      const messages = await log(id, tenantId).catch(() => []);
      const gap = messages.findIndex(({ content }, n) => !content.startsWith(`${id} ${n} `));
      if (gap >= 0) problems.push(`${id}: message ${gap} is ${messages[gap].content.slice(0, 60)}`);
    }
    problems.push(...(await lockedSessions(store, tenants)));
    // It can be written to, and is clean once it was closed.
    const [tenantId = 'tnt_a'] = tenants;
    const project = await store.createProject({ tenantId, name: 'after' }, tenantId);
    await store.createSession({ projectId: project.id, currentActor: null }, tenantId);
    await store.close();
    for (const { kind, path, detail } of await verify(rootDir)) {
      // A bundle that was being written belongs to nobody yet, and the next sweep removes it.
      if (kind === 'leftover' && path.startsWith('archive/')) continue;
      problems.push(`verify: ${kind} ${path}: ${detail}`);
    }
  } catch (error) {
    problems.push(`${error.name}: ${error.message} ${JSON.stringify(error.details)}`);
  }
  return problems;
}

/** The sessions that stay locked, although nobody is handing one off. */
async function lockedSessions(store, tenants) {
  const locked = [];
  for (const tenantId of tenants) {
    for await (const project of pages((page) => store.listProjects(tenantId, page))) {
      const sessions = pages((page) => store.listSessionsByProject(project.id, tenantId, page));
      for await (const { id, status } of sessions) {
        if (status === 'locked') locked.push(`${id} stays locked`);
      }
    }
  }
  return locked;
}

async function* pages(list) {
  let cursor;
  do {
    const page = await list(cursor === undefined ? {} : { cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
