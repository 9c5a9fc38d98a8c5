/**
 * Whether a root holds what the writers of `mixed-load` were answered, after a power cut: all that
 * is durable, and of the rest whole transactions from the first on, without a gap.
 */

import {
  DefaultCapacityValidator,
  DiskArchiveBackend,
  DiskSessionStore,
  NOOP_HANDOFF_SINK,
  recoverHandoffs,
  SessionEvictedError,
  verify,
  WorkspaceBackendRegistry,
} from 'namzu-native';

/** Each kind of answer that the writers of `mixed-load` give. */
export const KINDS = [
  ...['project', 'session', 'append', 'edge', 'archive', 'handoff', 'deleted'],
  ...['flushed', 'closed'],
];

/** How many answers there are of each kind. */
export function countKinds(answers, counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]))) {
  for (const { op } of answers) if (op in counts) counts[op] += 1;
  return counts;
}

/** Marks what no power cut may take: what a flush or a close of the same writer covers as well. */
export function markDurable(answers) {
  const covered = new Map();
  for (const { op, writer, n } of answers) {
    if (op === 'flushed' || op === 'closed')
      covered.set(writer, Math.max(covered.get(writer) ?? 0, n));
  }
  for (const answer of answers) {
    if (answer.n < covered.get(answer.writer)) answer.durable = true;
  }
  return answers;
}

/**
 * What is wrong with a root, in sentences, and the numbers of the answers that were lost: those
 * without `durable` may be, the last of them first.
 */
export async function checkLoad(rootDir, answers) {
  const store = new DiskSessionStore({ rootDir });
  const backend = new DiskArchiveBackend({ rootDir });
  const problems = [];
  const tenants = new Set(answers.map(({ tenantId }) => tenantId));
  const deleting = new Set(answers.filter(({ op }) => op === 'deleting').map(({ id }) => id));
  const archived = new Set(answers.filter(({ op }) => op === 'archive').map(({ child }) => child));

  const logs = new Map();
  async function log(id, tenantId) {
    if (!logs.has(id)) logs.set(id, await store.loadMessages(id, tenantId));
    return logs.get(id);
  }

  /** Whether an answer is held; `undefined` where nothing can be said. */
  async function check(answer) {
    const { op, id, tenantId } = answer;
    switch (op) {
      case 'project':
        return (await store.getProject(id, tenantId)) !== null;
      case 'session':
        if (deleting.has(id)) return undefined;
        return (await store.getSession(id, tenantId)) !== null;
      case 'append':
        if (archived.has(id) || deleting.has(id)) return undefined; // looked at there
        if ((await store.getSession(id, tenantId)) === null) return false;
        // That each is what it should be, is looked at below.
        return (await log(id, tenantId)).length >= answer.first + answer.count;
      case 'edge': {
        const edge = await store.getSubSession(id, tenantId);
        if (edge === null) return false;
        const children = await store.getChildren(answer.parent, tenantId);
        const listed = children.some((child) => child.id === id);
        if (edge.childSessionId !== answer.child || !listed) throw new Error('half an edge');
        return edge.status !== 'pending';
      }
      case 'archive': {
        const edge = await store.getSubSession(id, tenantId);
        if (edge?.status !== 'archived') return false;
        const { messages } = await backend.restore(answer.archiveRef);
        const last = messages.at(-1)?.message.content;
        if (edge.archiveRef === answer.archiveRef && last === `${answer.child} 0 0 `) return true;
        throw new Error(`not what was archived: ${edge.archiveRef}, ${last}`);
      }
      case 'handoff': {
        const source = await store.getSession(id, tenantId);
        if (source === null || source.ownerVersion === 0) return false;
        const children = await store.getChildren(id, tenantId);
        const to = children.map(({ childSessionId }) => childSessionId).sort();
        return (
          source.ownerVersion === 1 &&
          source.status === (answer.several ? 'awaiting_merge' : 'idle') &&
          JSON.stringify(to) === JSON.stringify([...answer.to].sort())
        );
      }
      case 'deleted':
        // What was never made is not there either, so only a session that is there says something.
        return (await store.getSession(id, tenantId)) === null ? undefined : false;
      case 'deleting':
      case 'flushed':
      case 'closing':
      case 'closed':
        return undefined;
      default:
        throw new Error(`unknown answer ${op}`);
    }
  }

  const kept = [];
  const lost = [];
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
      if (typeof held === 'string') problems.push(`${held}: ${JSON.stringify(answer)}`);
      else if (held === true) kept.push(answer);
      else if (held === false && !answer.durable) lost.push(answer);
      else if (held === false) problems.push(`lost: ${JSON.stringify(answer)}`);
    }
    problems.push(...gaps(kept, lost));
    for (const { id, tenantId } of kept.filter(({ op }) => op === 'session')) {
      if (archived.has(id)) continue;
      const messages = await log(id, tenantId).catch((error) => error);
      // Evicted by a call that was not answered any more.
      if (messages instanceof SessionEvictedError) continue;
      if (messages instanceof Error) problems.push(`${id}: ${messages}`);
      else problems.push(...wrongMessages(id, messages));
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
  return { problems, lost: answers.flatMap((answer, n) => (lost.includes(answer) ? [n] : [])) };
}

/**
 * What is there although something before it is not: an earlier call of its own writer, or one
 * that was answered, to either writer, before it was asked for.
 */
function gaps(kept, lost) {
  const firstOf = new Map();
  let first;
  for (const answer of lost) {
    const own = firstOf.get(answer.writer);
    if (own === undefined || answer.n < own.n) firstOf.set(answer.writer, answer);
    if (first === undefined || BigInt(answer.at) < BigInt(first.at)) first = answer;
  }
  const problems = [];
  for (const answer of kept) {
    const own = firstOf.get(answer.writer);
    const overtaken = own && own.n < answer.n ? own : undefined;
    const before = first && BigInt(first.at) < BigInt(answer.from) ? first : overtaken;
    if (before)
      problems.push(`${JSON.stringify(answer)} is there, and not ${JSON.stringify(before)}`);
  }
  return problems;
}

/** Messages that are none of the writer's, and calls of which a part is there. */
function wrongMessages(id, messages) {
  const problems = [];
  let end = -1;
  for (const [n, { content }] of messages.entries()) {
    const [session, number, last, filling] = content.split(' ');
    const right = session === id && Number(number) === n && /^x*$/.test(filling);
    if (!right) problems.push(`${id}: message ${n} is ${content.slice(0, 60)}`);
    end = Number(last);
  }
  if (end !== messages.length - 1) problems.push(`${id}: ${messages.length} messages, to ${end}`);
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
