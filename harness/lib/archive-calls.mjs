/** The calls that a process of the proof makes, each chosen by chance and recorded. */

import { setTimeout as sleep } from 'node:timers/promises';
import { edgeBetween, saying, TENANT, tokenOf } from './archive-world.mjs';

const pick = (list, number) => list[Math.floor(number * list.length)];
const tokensOf = (messages) => runs(messages.map(tokenOf));
const envelopes = (messages) => {
  const ids = new Set(messages.map(({ id }) => id));
  if (ids.size < messages.length) throw new Error(`an id is there twice among ${messages.length}`);
  return tokensOf(messages.map(({ message }) => message));
};

/** Tokens as text; those that a session began with, `i5 i6 i7`, as `i5:7`. */
function runs(tokens) {
  const parts = [];
  let [from, to] = [-1, -2];
  const end = () => from >= 0 && parts.push(from === to ? `i${from}` : `i${from}:${to}`);
  for (const token of tokens) {
    const n = token.startsWith('i') ? Number(token.slice(1)) : Number.NaN;
    if (n === to + 1) to = n;
    else {
      end();
      [from, to] = Number.isNaN(n) ? [-1, -2] : [n, n];
      if (Number.isNaN(n)) parts.push(token);
    }
  }
  end();
  return parts.join(' ');
}

/** What {@link runs} made text of. */
export function tokensFrom(text) {
  return text.split(' ').flatMap((part) => {
    const [, from, to] = /^i(\d+):(\d+)$/.exec(part) ?? [];
    if (from === undefined) return part === '' ? [] : [part];
    return Array.from({ length: to - from + 1 }, (_, n) => `i${Number(from) + n}`);
  });
}

/** One caller of a process: draws the same numbers for each step, whatever is answered. */
export class Caller {
  /** `managers` by place; `report` takes what is said of a call and of its answer. */
  constructor({ name, store, managers, world, random, now, report }) {
    Object.assign(this, { name, store, managers, world, random, now, report, own: [], made: 0 });
  }

  async step() {
    const numbers = Array.from({ length: 6 }, this.random);
    const calls = CALLS.filter(([, what]) => !this.leaves(what));
    const total = calls.reduce((sum, [weight]) => sum + weight, 0);
    let left = numbers[0] * total;
    const [, what, call] = calls.find(([weight]) => {
      left -= weight;
      return left < 0;
    });
    this.made += 1;
    const project = pick(this.world.projects, numbers[1]);
    const child = pick(project.children, numbers[2]).id;
    await call(this, { what, numbers: numbers.slice(3), project, child });
  }

  /** Whether something is left out of this run. */
  leaves(what) {
    return this.world.without.includes(what);
  }

  /** Makes a call, and says what it is before and what it was answered after. */
  async record(details, call, result = () => ({})) {
    const name = `${this.name}.${this.made}`;
    this.report({ name, ...details, call: this.now() });
    let answer;
    try {
      answer = { ok: result(await call()) };
    } catch (error) {
      const { name: kind, message, details: more } = error;
      answer = { error: { kind, message, reason: more?.reason ?? more?.outcome } };
    }
    const answered = { name, answer: this.now(), ...answer };
    this.report(answered);
    return answered.ok;
  }

  /** An edge of a child, by chance; `undefined` when there is none. */
  async edge({ project, child, numbers }) {
    const edges = [];
    for (const parent of project.parents) {
      const found = await this.store.getChildren(parent, TENANT);
      edges.push(...found.filter(({ childSessionId }) => childSessionId === child));
    }
    return pick(edges, numbers[0]);
  }
}

async function append(caller, { what, child, numbers }) {
  const count = numbers[0] < 0.6 ? 1 : 2 + Math.floor(numbers[1] * 3);
  const tokens = Array.from({ length: count }, (_, n) => `${caller.name}.${caller.made}.${n}`);
  const messages = tokens.map((token) => saying(token, numbers[2] < 0.1));
  await caller.record({ what, session: child, tokens: tokens.join(' ') }, () =>
    count === 1
      ? caller.store.appendMessage(child, messages[0], TENANT)
      : caller.store.appendMessages(child, messages, TENANT),
  );
}

/** The same key means the same messages, whichever process sends them. */
async function appendKeyed(caller, { what, project, child, numbers }) {
  // What another backend than ours gives back has no keys any more.
  if (project.place !== 'ours') return;
  const key = `k${caller.world.turn}-${Math.floor(numbers[0] * 6)}`;
  const tokens = [`${key}.0`, `${key}.1`];
  const messages = tokens.map((token) => saying(token));
  const details = { what, session: child, tokens: tokens.join(' '), keyed: true };
  await caller.record(details, () =>
    caller.store.appendMessages(child, messages, TENANT, { idempotencyKey: key }),
  );
}

async function replace(caller, { what, child, numbers }) {
  const count = 1 + Math.floor(numbers[0] * 4);
  const tokens = Array.from({ length: count }, (_, n) => `R${caller.name}.${caller.made}.${n}`);
  const messages = tokens.map((token) => saying(token, numbers[1] < 0.2));
  await caller.record({ what, session: child, tokens: tokens.join(' ') }, () =>
    caller.store.replaceMessages(child, messages, TENANT),
  );
}

async function load(caller, { what, child, numbers }, session = child) {
  const [bare, tail] = [numbers[0] < 0.5, numbers[1] < 0.2];
  const options = tail ? { limit: 1 + Math.floor(numbers[2] * 30) } : undefined;
  const method = bare ? 'loadMessages' : 'loadSessionMessages';
  await caller.record(
    { what, session, ...(tail && { tail }) },
    () => caller.store[method](session, TENANT, ...(tail ? [options] : [])),
    (messages) => ({ tokens: bare ? tokensOf(messages) : envelopes(messages) }),
  );
}

async function stream(caller, { what, child, numbers }, session = child) {
  const pause = numbers[0] < 0.5 ? 0 : Math.ceil(numbers[1] * 400);
  await caller.record(
    { what, session },
    async () => {
      const messages = [];
      for await (const message of caller.store.streamMessages(session, TENANT)) {
        messages.push(message);
        if (pause > 0 && messages.length % pause === 0) await sleep(1);
      }
      return messages;
    },
    (messages) => ({ tokens: envelopes(messages) }),
  );
}

/** The whole log, from its first message on, in pages. */
async function page(caller, { what, child, numbers }) {
  const limit = 3 + Math.floor(numbers[0] * 400);
  await caller.record(
    { what, session: child },
    async () => {
      const [first] = await caller.store.loadSessionMessages(child, TENANT);
      if (first === undefined) return null;
      const messages = [first];
      for (;;) {
        const after = messages.at(-1).id;
        const more = await caller.store.loadSessionMessages(child, TENANT, { limit, after });
        messages.push(...more);
        if (more.length < limit) return messages;
        if (numbers[1] < 0.5) await sleep(1);
      }
    },
    (messages) => (messages === null ? {} : { tokens: envelopes(messages) }),
  );
}

async function archive(caller, { what, project, numbers, ...rest }) {
  const edge = await caller.edge({ project, numbers, ...rest });
  if (edge === undefined) return;
  const evict = numbers[1] < 0.7 && !caller.leaves('evict');
  const options = evict ? [{ evict }] : [];
  await caller.record(
    { what, session: edge.childSessionId, edge: edge.id, evict },
    () => caller.managers[project.place].archive(edge.id, TENANT, ...options),
    ({ archiveRef }) => ({ archiveRef, place: project.place }),
  );
}

async function restore(caller, { what, project, numbers, ...rest }) {
  const edge = await caller.edge({ project, numbers, ...rest });
  if (edge === undefined) return;
  await caller.record({ what, session: edge.childSessionId, edge: edge.id }, () =>
    caller.managers[project.place].restore(edge.id, TENANT),
  );
}

async function restoreSession(caller, { what, project, child }) {
  const manager = caller.managers[project.place];
  if (typeof manager.restoreSession !== 'function') return;
  await caller.record({ what, session: child }, () => manager.restoreSession(child, TENANT));
}

async function sweep(caller, { what, project, numbers }) {
  const evict = numbers[0] < 0.3 && !caller.leaves('evict');
  const policy = numbers[1] < 0.5 ? {} : { idleSubSessionTTL: 0 };
  await caller.record(
    { what, project: project.id, evict },
    () => caller.managers[project.place].sweep(project.id, TENANT, { policy, evict }),
    ({ archived, failed }) => ({
      place: project.place,
      archived: archived.map(({ sessionId, archiveRef }) => [sessionId, archiveRef]),
      failed: failed.map(({ error }) => ({
        kind: error?.name,
        message: error?.message,
        reason: error?.details?.reason ?? error?.details?.outcome,
      })),
    }),
  );
}

async function changeEdge(caller, { what, numbers, ...rest }) {
  const edge = await caller.edge({ numbers, ...rest });
  if (edge === undefined) return;
  const status = pick(['idle', 'active', 'merged', 'failed', edge.status], numbers[1]);
  await caller.record({ what, session: edge.childSessionId, edge: edge.id, status }, () =>
    caller.store.updateSubSession({ ...edge, status }, TENANT),
  );
}

/** Takes an edge away, and puts another in its place. */
async function renewEdge(caller, { what, project, child, numbers }) {
  const edge = await caller.edge({ project, child, numbers });
  if (edge !== undefined) {
    const gone = { what, session: child, edge: edge.id };
    const done = await caller.record(gone, () => caller.store.deleteSubSession(edge.id, TENANT));
    if (done === undefined) return;
    caller.made += 1;
  }
  const parent = pick(project.parents, numbers[1]);
  await caller.record({ what: 'create edge', session: child }, async () => {
    const made = await edgeBetween(caller.store, parent, child);
    await caller.store.updateSubSession({ ...made, status: 'idle' }, TENANT);
  });
}

async function changeSession(caller, { what, child, numbers }) {
  const session = await caller.store.getSession(child, TENANT);
  const status = pick(['idle', 'active', 'failed', 'awaiting_hitl'], numbers[0]);
  await caller.record({ what, session: child }, () =>
    caller.store.updateSession({ ...session, status }, TENANT),
  );
}

/** Creates a session, or deletes one that this caller created. */
async function renewSession(caller, { what, project, numbers }) {
  if (caller.own.length > 3) {
    const { id } = pick(caller.own, numbers[0]);
    caller.own = caller.own.filter((one) => one.id !== id);
    await caller.record({ what: 'delete listed', session: id }, () =>
      caller.store.deleteSession(id, TENANT),
    );
    return;
  }
  let made;
  await caller.record(
    { what, project: project.id },
    async () => {
      made = await caller.store.createSession(
        { projectId: project.id, currentActor: null },
        TENANT,
      );
      return made;
    },
    ({ id }) => ({ session: id }),
  );
  if (made) caller.own.push(made);
}

/** Gives a session that this caller created another place in the order of creation. */
async function moveSession(caller, { what, numbers }) {
  const session = pick(caller.own, numbers[0]);
  if (session === undefined) return;
  const createdAt = new Date(1_000_000_000_000 + Math.floor(numbers[1] * 1e9));
  await caller.record({ what, session: session.id }, () =>
    caller.store.updateSession({ ...session, createdAt }, TENANT),
  );
}

async function list(caller, { what, project, numbers }) {
  const limit = 1 + Math.floor(numbers[0] * 6);
  await caller.record(
    { what, project: project.id },
    async () => {
      const ids = [];
      let cursor;
      do {
        const options = cursor === undefined ? { limit } : { limit, cursor };
        const page = await caller.store.listSessionsByProject(project.id, TENANT, options);
        ids.push(...page.items.map(({ id }) => id));
        if (ids.length > 10_000) throw new Error('a list has no end');
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return ids;
    },
    (ids) => ({ ids }),
  );
}

const doomed = (caller, { numbers }) => pick(caller.world.doomed, numbers[2]).id;

async function deleteDoomed(caller, { what, ...rest }) {
  const session = doomed(caller, rest);
  await caller.record({ what, session }, () => caller.store.deleteSession(session, TENANT));
}

/** How often each call is made, of the sum of all weights. */
const CALLS = [
  [16, 'append', append],
  [5, 'append with a key', appendKeyed],
  [3, 'replace', replace],
  [9, 'load', load],
  [6, 'load', (caller, choice) => load(caller, choice, doomed(caller, choice))],
  [6, 'stream', stream],
  [3, 'stream', (caller, choice) => stream(caller, choice, doomed(caller, choice))],
  [4, 'page', page],
  [14, 'archive', archive],
  [12, 'restore', restore],
  [6, 'restoreSession', restoreSession],
  [3, 'sweep', sweep],
  [4, 'change edge', changeEdge],
  [4, 'delete edge', renewEdge],
  [2, 'change session', changeSession],
  [6, 'create listed', renewSession],
  [2, 'move listed', moveSession],
  [4, 'list', list],
  [0.3, 'delete', deleteDoomed],
];
