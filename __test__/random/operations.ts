import type { Session, SessionStore, SessionSummaryRef, SubSession, TenantId } from 'namzu-native';
import { AWKWARD_MESSAGES } from '../support/awkward-messages.js';
import { userOf } from '../support/world.js';
import type { Choices } from './choices.js';
import { EXTENDED_WEIGHTS } from './extended-operations.js';
import type { Make, Operation } from './operation.js';
import type { Kind, Twin } from './twin.js';

export const MESSAGES = AWKWARD_MESSAGES.filter(({ title }) => !title.includes('MiB'));

/** Calls that are about one session and only read. */
const SESSION_READS = [
  'getSession',
  'drill',
  'getChildren',
  'getAncestry',
  'loadMessages',
  'loadSessionMessages',
  'getSummary',
] as const satisfies readonly (keyof SessionStore)[];

const LINKAGE_READS = ['getSession', 'getChildren', 'getAncestry', 'drill'] as const;

const createProject: Make = (choices) => {
  const owner = choices.tenant();
  const caller = choices.random.chance(0.1) ? choices.tenant() : owner;
  const name = choices.nextName('prj');
  return {
    title: `createProject by ${caller} for ${owner}`,
    creates: { kind: 'prj', owner },
    run: async ({ store }) => store.createProject({ tenantId: owner, name }, caller),
  };
};

const createSession: Make = (choices) => {
  const project = choices.subject('prj') as 'prj_';
  const caller = choices.caller(project) as TenantId;
  const currentActor = choices.actor();
  return {
    title: `createSession in ${project} by ${caller}`,
    creates: { kind: 'ses', owner: caller },
    run: async (twin) =>
      twin.store.createSession({ projectId: twin.id(project), currentActor }, caller),
  };
};

const createSubSession: Make = (choices) => {
  const parent = choices.subject('ses') as 'ses_';
  const child = choices.subject('ses') as 'ses_';
  const caller = choices.caller(parent) as TenantId;
  const kind = choices.random.pick(['agent_spawn', 'user_handoff', 'intervention'] as const);
  const spawnedAt = choices.spawnTime();
  return {
    title: `createSubSession from ${parent} to ${child} by ${caller}`,
    creates: { kind: 'sub', owner: caller },
    run: async (twin) => {
      const ends = { parentSessionId: twin.id(parent), childSessionId: twin.id(child) };
      const params = { ...ends, kind, spawnedBy: userOf(caller) };
      const edge = await twin.store.createSubSession(params, caller);
      const stamped = { ...edge, spawnedAt };
      await twin.store.updateSubSession(stamped, caller);
      return stamped;
    },
  };
};

const updateSession: Make = (choices) => {
  const name = choices.subject('ses');
  const caller = choices.caller(name) as TenantId;
  const change = choices.sessionChange();
  const expected = choices.random.chance(0.4) ? choices.random.below(4) : undefined;
  return {
    title: `updateSession ${name} by ${caller}, expecting ${expected}: ${JSON.stringify(change)}`,
    run: async (twin) => {
      const payload = { ...recordOf(twin, name, choices.names('ses')), ...change } as Session;
      return twin.store.updateSession(payload, caller, expected);
    },
  };
};

const updateSubSession: Make = (choices) => {
  const name = choices.subject('sub');
  const caller = choices.caller(name) as TenantId;
  const change = choices.edgeChange();
  const parent = choices.random.chance(0.3) ? choices.subject('ses') : undefined;
  const child = choices.random.chance(0.3) ? choices.subject('ses') : undefined;
  const ends = `${parent ?? 'same'} to ${child ?? 'same'}`;
  return {
    title: `updateSubSession ${name} by ${caller}, from ${ends}: ${JSON.stringify(change)}`,
    run: async (twin) => {
      const payload = { ...recordOf(twin, name, choices.names('sub')), ...change } as SubSession;
      if (parent) payload.parentSessionId = twin.id(parent as 'ses_');
      if (child) payload.childSessionId = twin.id(child as 'ses_');
      return twin.store.updateSubSession(payload, caller);
    },
  };
};

const appendMessage: Make = (choices) => {
  const session = choices.subject('ses') as 'ses_';
  const caller = choices.caller(session) as TenantId;
  const { title, message } = choices.random.pick(MESSAGES);
  return {
    title: `appendMessage ${title} to ${session} by ${caller}`,
    creates: { kind: 'msg', owner: caller },
    run: async (twin) => twin.store.appendMessage(twin.id(session), message, caller),
  };
};

const recordSummary: Make = (choices) => {
  const session = choices.subject('ses') as 'ses_';
  const caller = choices.caller(session) as TenantId;
  const tenantId = choices.random.chance(0.05) ? choices.tenant() : caller;
  const id = `sum_${choices.random.below(3)}` as const;
  const at = new Date(choices.random.below(1_000_000_000));
  return {
    title: `recordSummary ${id} of ${session} by ${caller} for ${tenantId}`,
    run: async (twin) => {
      const summary: SessionSummaryRef = {
        id,
        sessionRef: twin.id(session),
        tenantId,
        outcome: { status: 'partial' },
        deliverables: [],
        agentSummary: 'x',
        keyDecisions: [{ at, summary: 'y' }],
        at,
        materializedBy: 'kernel',
      };
      return twin.store.recordSummary(summary, caller);
    },
  };
};

const readSession: Make = (choices) => {
  const name = choices.subject('ses') as 'ses_';
  const caller = choices.caller(name) as TenantId;
  const method = choices.random.pick(SESSION_READS);
  return {
    title: `${method} ${name} by ${caller}`,
    run: async (twin) => twin.store[method](twin.id(name), caller),
  };
};

const about =
  (
    kind: Kind,
    method: 'getProject' | 'getSubSession' | 'deleteSession' | 'deleteSubSession',
  ): Make =>
  (choices) => {
    const name = choices.subject(kind);
    const caller = choices.caller(name) as TenantId;
    return {
      title: `${method} ${name} by ${caller}`,
      run: async (twin) => twin.store[method](twin.id(name) as never, caller),
    };
  };

/** How often each kind of call is made, out of the sum of all weights. */
const WEIGHTS: readonly (readonly [number, Make])[] = [
  [4, createProject],
  [14, createSession],
  [16, createSubSession],
  [12, updateSession],
  [14, updateSubSession],
  [10, appendMessage],
  [8, recordSummary],
  [16, readSession],
  [2, about('prj', 'getProject')],
  [4, about('sub', 'getSubSession')],
  [6, about('ses', 'deleteSession')],
  [5, about('sub', 'deleteSubSession')],
  ...EXTENDED_WEIGHTS,
];

const TOTAL = WEIGHTS.reduce((sum, [weight]) => sum + weight, 0);

export function randomOperation(choices: Choices): Operation {
  if (choices.count('prj') === 0) return createProject(choices);
  let roll = choices.random.below(TOTAL);
  const chosen = WEIGHTS.find(([weight]) => {
    roll -= weight;
    return roll < 0;
  });
  if (!chosen) throw new Error('no operation');
  return chosen[1](choices);
}

/** Everybody's questions about where sessions stand in their trees. */
export function* linkageReads(
  choices: Choices,
  tenants: readonly TenantId[],
): Generator<Operation> {
  for (const caller of tenants) yield* sessionReads(choices, caller, LINKAGE_READS);
}

/** Every read of everything that has or had a name, by both tenants. */
export function* allReads(choices: Choices, tenants: readonly TenantId[]): Generator<Operation> {
  for (const caller of tenants) {
    yield* sessionReads(choices, caller, SESSION_READS);
    for (const name of choices.names('sub')) {
      yield {
        title: `getSubSession ${name} by ${caller}`,
        run: async (twin) => twin.store.getSubSession(twin.id(name as 'sub_'), caller),
      };
    }
  }
}

function* sessionReads(
  choices: Choices,
  caller: TenantId,
  methods: readonly (typeof SESSION_READS)[number][],
): Generator<Operation> {
  for (const name of choices.names('ses')) {
    for (const method of methods) {
      yield {
        title: `${method} ${name} by ${caller}`,
        run: async (twin) => twin.store[method](twin.id(name as 'ses_'), caller),
      };
    }
  }
}

/** A record as it was created; for an id that never was, some record with that id. */
function recordOf(twin: Twin, name: string, known: readonly string[]): object {
  const record = twin.records.get(name);
  if (record) return record;
  const other = twin.records.get(known[0] ?? '');
  return { ...other, id: name };
}
