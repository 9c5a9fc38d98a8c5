/** Random calls beyond the contract of the SDK: edits, ranges, streams, lists, archives. */

import type {
  ArchiveBackendRef,
  Message,
  MessageId,
  Page,
  ProjectId,
  Session,
  SubSessionId,
  TenantId,
} from 'namzu-native';
import { SESSION_STATUSES } from '../support/unions.js';
import type { Choices } from './choices.js';
import type { Make } from './operation.js';
import type { Twin } from './twin.js';

const said = (content: string): Message => ({ role: 'user', content });

function severalOf(choices: Choices): Message[] {
  const words = ['one', 'two', 'three', 'x'.repeat(3_000)];
  return words.slice(0, 1 + choices.random.below(words.length)).map(said);
}

const appendMessages: Make = (choices) => {
  const session = choices.subject('ses') as 'ses_';
  const caller = choices.caller(session) as TenantId;
  const messages = severalOf(choices);
  const keys = ['first', 'second', 'third'];
  const idempotencyKey = choices.random.chance(0.5) ? choices.random.pick(keys) : undefined;
  return {
    title: `appendMessages of ${messages.length}, key ${idempotencyKey}, to ${session} by ${caller}`,
    creates: { kind: 'msg', owner: caller, count: messages.length },
    run: async (twin) =>
      twin.store.appendMessages(twin.id(session), messages, caller, {
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      }),
  };
};

const replaceMessages: Make = (choices) => {
  const session = choices.subject('ses') as 'ses_';
  const caller = choices.caller(session) as TenantId;
  const messages = choices.random.chance(0.1) ? [] : severalOf(choices);
  return {
    title: `replaceMessages of ${session} by ${messages.length}, by ${caller}`,
    run: async (twin) => twin.store.replaceMessages(twin.id(session), messages, caller),
  };
};

const readMessages: Make = (choices) => {
  const { random } = choices;
  const session = choices.subject('ses') as 'ses_';
  const caller = choices.caller(session) as TenantId;
  const limit = random.chance(0.5) ? 1 + random.below(4) : undefined;
  const end = () => (random.chance(0.3) ? (choices.subject('msg') as 'msg_') : undefined);
  const [before, after] = [end(), end()];
  const method = random.pick(['loadMessages', 'loadSessionMessages', 'streamMessages'] as const);
  return {
    title: `${method} ${session} by ${caller}: ${JSON.stringify({ limit, before, after })}`,
    run: async (twin) => {
      const range = {
        ...(limit !== undefined && { limit }),
        ...(before !== undefined && { before: twin.id(before) as MessageId }),
        ...(after !== undefined && { after: twin.id(after) as MessageId }),
      };
      if (method !== 'streamMessages') return twin.store[method](twin.id(session), caller, range);
      const messages: unknown[] = [];
      for await (const message of twin.store.streamMessages(twin.id(session), caller, range)) {
        messages.push(message);
      }
      return messages;
    },
  };
};

const countMessages: Make = (choices) => {
  const session = choices.subject('ses') as 'ses_';
  const caller = choices.caller(session) as TenantId;
  return {
    title: `countMessages of ${session} by ${caller}`,
    run: async (twin) => twin.store.countMessages(twin.id(session), caller),
  };
};

/** Every page, as sorted names: ids, which break ties, differ from store to store. */
async function allPages(
  twin: Twin,
  ask: (cursor: string | undefined) => Promise<Page<{ readonly id: string }>>,
): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(cursor);
    names.push(...page.items.map(({ id }) => twin.name(id)));
    if (names.length > 10_000) throw new Error('a list has no end');
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names.sort();
}

const listSessions: Make = (choices) => {
  const { random } = choices;
  const project = choices.subject('prj') as ProjectId;
  const caller = choices.caller(project) as TenantId;
  const status = random.chance(0.3) ? random.pick(SESSION_STATUSES) : undefined;
  const limit = 1 + random.below(5);
  return {
    title: `listSessionsByProject ${project}, ${status}, by ${limit}, by ${caller}`,
    run: async (twin) =>
      allPages(twin, (cursor): Promise<Page<Session>> => {
        const page = { limit, ...(status && { status }), ...(cursor && { cursor }) };
        return twin.store.listSessionsByProject(twin.id(project), caller, page);
      }),
  };
};

const archive: Make = (choices) => {
  const edge = choices.subject('sub') as SubSessionId;
  const caller = choices.caller(edge) as TenantId;
  const evict = choices.random.chance(0.6);
  return {
    title: `archive ${edge}, evict ${evict}, by ${caller}`,
    run: async (twin) => twin.manager.archive(twin.id(edge), caller, { evict }),
  };
};

const restore: Make = (choices) => {
  const edge = choices.subject('sub') as SubSessionId;
  const caller = choices.caller(edge) as TenantId;
  return {
    title: `restore ${edge} by ${caller}`,
    run: async (twin) => twin.manager.restore(twin.id(edge), caller),
  };
};

/** With a policy that everything finished is due for: which is the longest idle, times decide. */
const sweep: Make = (choices) => {
  const project = choices.subject('prj') as ProjectId;
  const caller = choices.caller(project) as TenantId;
  const evict = choices.random.chance(0.3);
  const options = { policy: { maxSubSessionsPerProject: 0 }, evict };
  return {
    title: `sweep ${project}, evict ${evict}, by ${caller}`,
    run: async (twin) => {
      const swept = await twin.manager.sweep(twin.id(project), caller, options);
      const named = (id: string) => twin.name(id);
      return {
        archived: swept.archived.map(({ subSessionId }) => named(subSessionId)).sort(),
        failed: swept.failed.map(({ subSessionId }) => named(subSessionId)).sort(),
        kept: swept.kept,
      };
    },
  };
};

/** What the bundle of an edge holds, where it is one of its backend's. */
const readBundle: Make = (choices) => {
  const edge = choices.subject('sub') as SubSessionId;
  const caller = choices.ownerOf(edge);
  return {
    title: `the bundle of ${edge}`,
    run: async (twin) => {
      const ref = (await twin.store.getSubSession(twin.id(edge), caller))?.archiveRef;
      return ref === undefined ? null : twin.backend.restore(ref as ArchiveBackendRef);
    },
  };
};

export const EXTENDED_WEIGHTS: readonly (readonly [number, Make])[] = [
  [8, appendMessages],
  [4, replaceMessages],
  [8, readMessages],
  [2, countMessages],
  [4, listSessions],
  [10, archive],
  [8, restore],
  [3, sweep],
  [4, readBundle],
];
