import * as namzu from 'namzu-native';
import {
  DefaultCapacityValidator,
  executeBroadcastHandoff,
  executeSingleHandoff,
  generateHandoffId,
  generateSummaryId,
  recoverHandoffs,
  SessionSummaryMaterializer,
} from 'namzu-native';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeStores } from '../retention/archive-world.js';
import { rejection } from '../support/rejection.js';
import { present, userOf } from '../support/world.js';
import { BETA, records, SECRET, type Tenancy, tenancy } from './worlds.js';

type Call = (t: Tenancy) => Promise<unknown>;

const said = { role: 'user', content: 'hello' } as const;
const whole = async (items: AsyncIterable<unknown>) => {
  for await (const _ of items);
};

const session = ({ alpha }: Tenancy) => `session(${alpha.session.id})`;
const summary = ({ alpha }: Tenancy) => `summary(${alpha.summary.id})`;
const project = ({ alpha }: Tenancy) => `project(${alpha.project.id})`;
const edge = ({ alpha }: Tenancy) => `sub-session(${alpha.edge.id})`;

const spawn = (t: Tenancy, parent: string, child: string) =>
  t.store.createSubSession(
    {
      parentSessionId: parent as 'ses_',
      childSessionId: child as 'ses_',
      kind: 'agent_spawn',
      spawnedBy: userOf(BETA),
    },
    BETA,
  );

/** Every method, reaching with BETA's name for a record of ALPHA's; and what it is refused as. */
const METHODS: Record<string, [Call, (t: Tenancy) => string][]> = {
  getProject: [[({ store, alpha }) => store.getProject(alpha.project.id, BETA), project]],
  updateProject: [[({ store, alpha }) => store.updateProject(alpha.project.id, {}, BETA), project]],
  listSessionsByProject: [
    [({ store, alpha }) => store.listSessionsByProject(alpha.project.id, BETA), project],
    [
      ({ store, alpha }) => store.listSessionsByProject(alpha.project.id, BETA, { limit: 1 }),
      project,
    ],
  ],
  createSession: [
    [
      ({ store, alpha }) =>
        store.createSession({ projectId: alpha.project.id, currentActor: null }, BETA),
      project,
    ],
  ],
  getSession: [
    [({ store, alpha }) => store.getSession(alpha.session.id, BETA), session],
    [
      ({ store, alpha }) => store.getSession(alpha.evicted.id, BETA),
      ({ alpha }) => `session(${alpha.evicted.id})`,
    ],
  ],
  updateSession: [
    [
      ({ store, alpha }) => store.updateSession({ ...alpha.session, tenantId: BETA }, BETA),
      session,
    ],
    [
      ({ store, alpha }) => store.updateSession({ ...alpha.session, tenantId: BETA }, BETA, 99),
      session,
    ],
  ],
  deleteSession: [
    [({ store, alpha }) => store.deleteSession(alpha.session.id, BETA), session],
    [
      ({ store, alpha }) => store.deleteSession(alpha.alone.id, BETA),
      ({ alpha }) => `session(${alpha.alone.id})`,
    ],
  ],
  createSubSession: [
    [(t) => spawn(t, t.alpha.session.id, t.alpha.alone.id), session],
    [(t) => spawn(t, t.beta.session.id, t.alpha.session.id), session],
    [(t) => spawn(t, t.alpha.session.id, t.beta.session.id), session],
  ],
  getSubSession: [[({ store, alpha }) => store.getSubSession(alpha.edge.id, BETA), edge]],
  updateSubSession: [[({ store, alpha }) => store.updateSubSession(alpha.edge, BETA), edge]],
  deleteSubSession: [[({ store, alpha }) => store.deleteSubSession(alpha.edge.id, BETA), edge]],
  appendMessage: [
    [({ store, alpha }) => store.appendMessage(alpha.session.id, said, BETA), session],
    [
      ({ store, alpha }) =>
        store.appendMessage(alpha.session.id, said, BETA, { idempotencyKey: SECRET }),
      session,
    ],
  ],
  appendMessages: [
    [({ store, alpha }) => store.appendMessages(alpha.session.id, [said], BETA), session],
    [({ store, alpha }) => store.appendMessages(alpha.session.id, [], BETA), session],
    [
      ({ store, alpha }) =>
        store.appendMessages(alpha.session.id, [said], BETA, { idempotencyKey: SECRET }),
      session,
    ],
  ],
  loadMessages: [
    [({ store, alpha }) => store.loadMessages(alpha.session.id, BETA), session],
    [({ store, alpha }) => store.loadMessages(alpha.session.id, BETA, { limit: 1 }), session],
    [({ store, alpha }) => store.loadMessages(alpha.session.id, BETA, { after: 'msg_x' }), session],
    [
      ({ store, alpha }) => store.loadMessages(alpha.evicted.id, BETA),
      ({ alpha }) => `session(${alpha.evicted.id})`,
    ],
  ],
  loadSessionMessages: [
    [({ store, alpha }) => store.loadSessionMessages(alpha.session.id, BETA), session],
    [
      ({ store, alpha }) => store.loadSessionMessages(alpha.session.id, BETA, { before: 'msg_x' }),
      session,
    ],
  ],
  streamMessages: [
    [({ store, alpha }) => whole(store.streamMessages(alpha.session.id, BETA)), session],
  ],
  replaceMessages: [
    [({ store, alpha }) => store.replaceMessages(alpha.session.id, [], BETA), session],
  ],
  countMessages: [
    [({ store, alpha }) => store.countMessages(alpha.session.id, BETA), session],
    [
      ({ store, alpha }) => store.countMessages(alpha.evicted.id, BETA),
      ({ alpha }) => `session(${alpha.evicted.id})`,
    ],
  ],
  getChildren: [[({ store, alpha }) => store.getChildren(alpha.session.id, BETA), session]],
  getAncestry: [[({ store, alpha }) => store.getAncestry(alpha.session.id, BETA), session]],
  drill: [[({ store, alpha }) => store.drill(alpha.session.id, BETA), session]],
  recordSummary: [
    [
      ({ store, alpha }) => store.recordSummary({ ...alpha.summary, tenantId: BETA }, BETA),
      session,
    ],
  ],
  getSummary: [
    [({ store, alpha }) => store.getSummary(alpha.session.id, BETA), summary],
    [
      ({ store, alpha }) => store.getSummary(alpha.alone.id, BETA),
      ({ alpha }) => `session(${alpha.alone.id})`,
    ],
  ],
  'ArchivalManager.archive': [[({ manager, alpha }) => manager.archive(alpha.edge.id, BETA), edge]],
  'ArchivalManager.restore': [
    [
      ({ manager, alpha }) => manager.restore(alpha.archived.id, BETA),
      ({ alpha }) => `sub-session(${alpha.archived.id})`,
    ],
  ],
  'ArchivalManager.restoreSession': [
    [
      ({ manager, alpha }) => manager.restoreSession(alpha.session.id, BETA),
      ({ alpha }) => `session(${alpha.session.id})`,
    ],
  ],
  'ArchivalManager.sweep': [
    [({ manager, alpha }) => manager.sweep(alpha.project.id, BETA), project],
  ],
  'SessionSummaryMaterializer.materialize': [
    [
      ({ store, alpha }) =>
        new SessionSummaryMaterializer({
          store,
          generateSummaryId,
        }).materialize({
          sessionId: alpha.session.id,
          tenantId: BETA,
          finalOutcome: { status: 'failed' },
          agentSummary: '',
          declaredDeliverables: [],
          keyDecisions: [],
        }),
      session,
    ],
  ],
  'SessionSummaryMaterializer.recover': [
    [
      ({ store, alpha }) =>
        new SessionSummaryMaterializer({ store, generateSummaryId }).recover(
          alpha.session.id,
          BETA,
        ),
      summary,
    ],
  ],
  'DefaultCapacityValidator.validateDepth': [
    [
      ({ store, alpha }) =>
        new DefaultCapacityValidator(store).validateDepth(alpha.session.id, 4, BETA),
      session,
    ],
  ],
  'DefaultCapacityValidator.validateWidth': [
    [
      ({ store, alpha }) =>
        new DefaultCapacityValidator(store).validateWidth(alpha.session.id, 1, 4, BETA),
      session,
    ],
  ],
  executeSingleHandoff: [
    [(t) => executeSingleHandoff(t.deps, assignment(t), BETA), session],
    [
      (t) =>
        executeSingleHandoff(
          t.deps,
          { ...assignment(t), sourceSessionId: t.alpha.source.id },
          BETA,
        ),
      ({ alpha }) => `session(${alpha.source.id})`,
    ],
    [
      (t) =>
        executeSingleHandoff(
          t.deps,
          { ...assignment(t), sourceSessionId: t.alpha.halfway.id },
          BETA,
        ),
      ({ alpha }) => `session(${alpha.halfway.id})`,
    ],
  ],
  executeBroadcastHandoff: [
    [
      (t) => {
        const row = { ...assignment(t), mode: 'broadcast', broadcastId: 'b' } as const;
        const other = { ...userOf(BETA), userId: 'usr_other' } as const;
        return executeBroadcastHandoff(
          t.deps,
          [row, { ...row, id: generateHandoffId(), recipientActor: other }],
          BETA,
        );
      },
      session,
    ],
  ],
};

function assignment({ alpha }: Tenancy) {
  return {
    id: generateHandoffId(),
    mode: 'single',
    sourceSessionId: alpha.session.id,
    tenantId: BETA,
    projectId: alpha.project.id,
    sourceActor: userOf(BETA),
    recipientActor: userOf(BETA),
    expectedOwnerVersion: 0,
    createdAt: new Date(),
  } as const;
}

/** Methods that take no id of anybody's: what they answer is compared in `noninterference`. */
const WITHOUT_IDS = [
  'createProject',
  'listProjects',
  'flush',
  'refresh',
  'close',
  'recoverHandoffs',
];

describeStores((make) => {
  let t: Tenancy;
  beforeEach(async () => {
    t = await tenancy(make, records);
  });

  it('there is a reach of every method', () => {
    const methods = (object: object) => {
      const names = new Set<string>();
      for (let at = object; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
        for (const name of Object.getOwnPropertyNames(at)) names.add(name);
      }
      return [...names].filter(
        (name) => name !== 'constructor' && typeof Reflect.get(object, name) === 'function',
      );
    };
    const of = (object: object) =>
      methods(object).map((name) => `${object.constructor.name}.${name}`);
    const { store, manager } = t;
    const handoffs = Object.keys(namzu).filter((name) => /^(execute|recover)\w+$/.test(name));
    expect(handoffs.length).toBeGreaterThanOrEqual(3);
    const there = [
      ...methods(store),
      ...of(manager),
      ...of(new SessionSummaryMaterializer({ store, generateSummaryId })),
      ...of(new DefaultCapacityValidator(store)),
      ...handoffs,
    ];
    const covered = [...Object.keys(METHODS), ...WITHOUT_IDS];
    expect(there.filter((name) => !covered.includes(name))).toStrictEqual([]);
  });

  describe.each(Object.entries(METHODS))('%s', (_, reaches) => {
    it.each(reaches.map((reach, n) => [n, ...reach] as const))(
      "tells nothing of another tenant's record but that it is refused (%i)",
      async (_n, call, resource) => {
        const error = await rejection(call(t));
        expect(error).toMatchObject({ name: 'TenantIsolationError' });
        const { details, message } = error as Error & { details: unknown };
        expect(details).toStrictEqual({ requested: BETA, resource: resource(t) });
        expect(message).not.toContain(SECRET);
        expect(JSON.stringify(Object.entries(error as object))).not.toContain(SECRET);
      },
    );
  });

  it('changes nothing by being refused', async () => {
    const before = await t.alpha.everything();
    for (const reaches of Object.values(METHODS)) {
      for (const [call] of reaches) await rejection(call(t));
    }
    expect(await t.alpha.everything()).toStrictEqual(before);
  });

  it("recovers none of another's handoffs", async () => {
    const before = await t.alpha.everything();
    expect(await recoverHandoffs(t.deps, BETA)).toStrictEqual([]);
    expect(await t.alpha.everything()).toStrictEqual(before);
  });

  it("says in its own records that they are another's, and gets nowhere by it", async () => {
    const { store, deps, beta, alpha } = t;
    const before = await alpha.everything();
    const theirs = alpha.session.tenantId;
    const actor = { ...userOf(BETA), tenantId: theirs };
    const { session: own, edge: ownEdge } = beta;
    const ids = { parentSessionId: own.id, childSessionId: own.id };
    const spawned = { ...ids, kind: 'agent_spawn', spawnedBy: actor } as const;
    const free = await beta.world.session();
    const handedOff = { ...assignment(t), sourceSessionId: free.id, projectId: beta.project.id };
    const calls: Record<string, () => Promise<unknown>> = {
      createProject: () => store.createProject({ tenantId: theirs, name: 'x' }, BETA),
      createSession: () =>
        store.createSession({ projectId: beta.project.id, currentActor: actor }, BETA),
      updateSession: () => store.updateSession({ ...own, tenantId: theirs }, BETA),
      updateActor: () => store.updateSession({ ...own, currentActor: actor }, BETA),
      moved: () => store.updateSession({ ...own, projectId: alpha.project.id }, BETA),
      createSubSession: () => store.createSubSession(spawned, BETA),
      updateSubSession: () => store.updateSubSession({ ...ownEdge, ...{ tenantId: theirs } }, BETA),
      recordSummary: () => store.recordSummary(beta.world.summary(own, { tenantId: theirs }), BETA),
      handoff: () => executeSingleHandoff(deps, { ...handedOff, tenantId: theirs }, BETA),
      recipient: () => executeSingleHandoff(deps, { ...handedOff, recipientActor: actor }, BETA),
      intoAnother: () =>
        executeSingleHandoff(deps, { ...handedOff, projectId: alpha.project.id }, BETA),
    };
    const outcomes: Record<string, string> = {};
    for (const [name, call] of Object.entries(calls)) {
      const answer = await call().then(
        (value) => JSON.stringify(value) ?? '',
        (error) => {
          outcomes[name] = error.name;
          return `${error.message} ${JSON.stringify(Object.entries(error))}`;
        },
      );
      outcomes[name] ??= 'done';
      // The caller's own word, handed back, is all that may be told.
      expect(answer.replaceAll(theirs, ''), name).not.toContain(SECRET);
    }
    expect(outcomes).toMatchInlineSnapshot(`
      {
        "createProject": "TenantIsolationError",
        "createSession": "done",
        "createSubSession": "done",
        "handoff": "TenantIsolationError",
        "intoAnother": "InvalidArgumentError",
        "moved": "TenantIsolationError",
        "recipient": "done",
        "recordSummary": "TenantIsolationError",
        "updateActor": "done",
        "updateSession": "TenantIsolationError",
        "updateSubSession": "done",
      }
    `);
    expect(await alpha.everything()).toStrictEqual(before);
    // What was done has stayed BETA's.
    expect(present(await store.getSession(own.id, BETA)).tenantId).toBe(BETA);
    const theirsListed = await store.listSessionsByProject(alpha.project.id, theirs);
    expect(theirsListed.items.map(({ id }) => id)).not.toContain(own.id);
    expect(await store.getSubSession(ownEdge.id, BETA)).not.toBeNull();
    expect(await rejection(store.getSubSession(ownEdge.id, theirs))).toMatchObject({
      name: 'TenantIsolationError',
    });
    expect((await store.listProjects(BETA)).items.every(({ tenantId }) => tenantId === BETA)).toBe(
      true,
    );
  });

  it("cannot archive, evict or sweep another's session through an edge of its own", async () => {
    const { store, manager, alpha, beta } = t;
    // The contract lets an update bend an edge so; its owner gets no further by it.
    const bent = { ...beta.edge, childSessionId: alpha.session.id, status: 'idle' } as const;
    await store.updateSubSession(bent, BETA);
    const before = await alpha.everything();
    for (const evict of [false, true]) {
      const error = await rejection(manager.archive(bent.id, BETA, { evict }));
      expect(error).toMatchObject({
        name: 'TenantIsolationError',
        details: { requested: BETA, resource: session(t) },
      });
    }
    const policy = { maxSubSessionsPerProject: 0 };
    const { archived, failed } = await manager.sweep(beta.project.id, BETA, { policy });
    expect(archived).toStrictEqual([]);
    expect(failed.map(({ error }) => (error as Error).name)).toStrictEqual([
      'TenantIsolationError',
    ]);
    expect(await store.getAncestry(alpha.session.id, alpha.session.tenantId)).not.toContain(
      beta.session.id,
    );
    expect(await alpha.everything()).toStrictEqual(before);
  });
});
