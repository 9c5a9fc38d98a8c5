import {
  DefaultCapacityValidator,
  type ExtendedSessionStore,
  executeBroadcastHandoff,
  executeSingleHandoff,
  generateSummaryId,
  recoverHandoffs,
  SessionSummaryMaterializer,
  type TenantId,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { describeStores } from '../retention/archive-world.js';
import { rejection } from '../support/rejection.js';
import { userOf } from '../support/world.js';
import { BETA, records, SECRET, tenancy } from './worlds.js';

/** What is no tenant, although JavaScript would make a text of most. */
const NO_TENANTS: readonly [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['an empty string', ''],
  ['zero', 0],
  ['a number', 7],
  ['NaN', Number.NaN],
  ['a bigint', 7n],
  ['false', false],
  ['true', true],
  ['a symbol', Symbol('tnt_beta')],
  ['a function', () => BETA],
  ['an object', {}],
  ['an object that reads as a tenant', { toString: () => BETA, valueOf: () => BETA }],
  ['a boxed string', Object(BETA)],
  ['an array of a tenant', [BETA]],
  ['an object without a prototype', Object.create(null)],
  ['a lone surrogate', 'tnt_\ud800'],
];

const said = { role: 'user', content: 'x' } as const;

describeStores((make) => {
  describe.each(NO_TENANTS)('%s as tenant', (_, value) => {
    it('is refused by every method, before anything is looked at', async () => {
      const nobody = value as TenantId;
      const { store, manager, deps, alpha, beta } = await tenancy(make, records);
      const { project, session, edge } = beta;
      const before = await alpha.everything();
      const materializer = new SessionSummaryMaterializer({ store, generateSummaryId });
      const assignment = {
        id: 'hof_1',
        mode: 'single',
        sourceSessionId: session.id,
        tenantId: BETA,
        projectId: project.id,
        sourceActor: userOf(BETA),
        recipientActor: userOf(BETA),
        expectedOwnerVersion: 0,
        createdAt: new Date(),
      } as const;
      const row = { ...assignment, mode: 'broadcast', broadcastId: 'b' } as const;
      const calls: Record<string, () => Promise<unknown>> = {
        ...storeCalls(store, nobody, { ...beta, summary: beta.world.summary(session) }),
        archive: () => manager.archive(edge.id, nobody),
        restore: () => manager.restore(edge.id, nobody),
        sweep: () => manager.sweep(project.id, nobody),
        materialize: () =>
          materializer.materialize({
            sessionId: session.id,
            tenantId: nobody,
            finalOutcome: { status: 'failed' },
            agentSummary: SECRET,
            declaredDeliverables: [],
            keyDecisions: [],
          }),
        recoverSummary: () => materializer.recover(session.id, nobody),
        recoverHandoffs: () => recoverHandoffs(deps, nobody),
        single: () => executeSingleHandoff(deps, assignment, nobody),
        broadcast: () => executeBroadcastHandoff(deps, [row, { ...row, id: 'hof_2' }], nobody),
        depth: () => new DefaultCapacityValidator(store).validateDepth(session.id, 4, nobody),
        width: () => new DefaultCapacityValidator(store).validateWidth(session.id, 1, 4, nobody),
      };
      for (const [method, call] of Object.entries(calls)) {
        const error = await rejection(call());
        expect(error, method).toMatchObject({ name: 'InvalidArgumentError' });
        expect(error.message, method).not.toContain(SECRET);
      }
      expect(await store.getSession(session.id, BETA)).toStrictEqual(session);
      expect(await store.getSummary(session.id, BETA)).toBeNull();
      expect(await alpha.everything()).toStrictEqual(before);
    });
  });
});

type Beta = Awaited<ReturnType<typeof tenancy>>['beta'];

/** Every method of a store, asked by `nobody` for what BETA has. */
function storeCalls(
  store: ExtendedSessionStore,
  nobody: TenantId,
  {
    project,
    session,
    edge,
    summary,
  }: Beta & { summary: Parameters<ExtendedSessionStore['recordSummary']>[0] },
): Record<string, () => Promise<unknown>> {
  const { id } = session;
  return {
    createProject: () => store.createProject({ tenantId: nobody, name: 'x' }, nobody),
    createProjectFor: () => store.createProject({ tenantId: BETA, name: 'x' }, nobody),
    getProject: () => store.getProject(project.id, nobody),
    updateProject: () => store.updateProject(project.id, {}, nobody),
    listProjects: () => store.listProjects(nobody),
    listSessionsByProject: () => store.listSessionsByProject(project.id, nobody),
    createSession: () => store.createSession({ projectId: project.id, currentActor: null }, nobody),
    getSession: () => store.getSession(id, nobody),
    updateSession: () => store.updateSession(session, nobody),
    deleteSession: () => store.deleteSession(id, nobody),
    createSubSession: () =>
      store.createSubSession(
        {
          parentSessionId: id,
          childSessionId: id,
          kind: 'agent_spawn',
          spawnedBy: userOf(BETA),
        },
        nobody,
      ),
    getSubSession: () => store.getSubSession(edge.id, nobody),
    updateSubSession: () => store.updateSubSession(edge, nobody),
    deleteSubSession: () => store.deleteSubSession(edge.id, nobody),
    appendMessage: () => store.appendMessage(id, said, nobody),
    appendMessages: () => store.appendMessages(id, [said], nobody),
    loadMessages: () => store.loadMessages(id, nobody),
    loadSessionMessages: () => store.loadSessionMessages(id, nobody),
    streamMessages: async () => {
      for await (const _ of store.streamMessages(id, nobody));
    },
    replaceMessages: () => store.replaceMessages(id, [], nobody),
    countMessages: () => store.countMessages(id, nobody),
    getChildren: () => store.getChildren(id, nobody),
    getAncestry: () => store.getAncestry(id, nobody),
    drill: () => store.drill(id, nobody),
    recordSummary: () => store.recordSummary(summary, nobody),
    getSummary: () => store.getSummary(id, nobody),
  };
}
