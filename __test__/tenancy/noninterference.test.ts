import {
  type ArchivalManager,
  DefaultCapacityValidator,
  type ExtendedSessionStore,
  executeSingleHandoff,
  generateHandoffId,
  recoverHandoffs,
} from 'namzu-native';
import { expect, it } from 'vitest';
import { describeStores } from '../retention/archive-world.js';
import { present, userOf } from '../support/world.js';
import { ALPHA, BETA, records, SECRET, tenancy, tick } from './worlds.js';

type Alphas = (
  store: ExtendedSessionStore,
  manager: ArchivalManager,
  root: string,
) => Promise<unknown>;

const nothing: Alphas = async () => undefined;
const much: Alphas = async (store, manager, root) => {
  for (let i = 0; i < 12; i += 1) await records(store, manager, root);
};

/** A value as text in which ids and dates, which differ from run to run, are numbered. */
function normal(value: unknown, names: Map<string, string>): string {
  const text = JSON.stringify(value, (_, field) => (field === undefined ? '<undefined>' : field));
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<date>')
    .replace(/\b(prj|ses|sub|msg|sum|hof|wsp|arc)_[0-9a-z]{12}\b/g, (id) => {
      if (!names.has(id)) names.set(id, `<${id.slice(0, 3)} ${names.size}>`);
      return names.get(id) as string;
    });
}

/** Everything that BETA can ask without an id of ALPHA's, and what it is answered, as text. */
async function transcript(alphas: Alphas, make: (root: string) => ExtendedSessionStore) {
  const { store, manager, deps, beta } = await tenancy(make, alphas);
  const names = new Map<string, string>();
  const lines: string[] = [];
  const note = async (label: string, asked: Promise<unknown>) => {
    const answer = await asked.then(
      (value) => ({ value }),
      (error) => ({ name: error.name, message: error.message, details: error.details }),
    );
    lines.push(`${label}: ${normal(answer, names)}`);
    await tick();
  };
  const { project, session, edge } = beta;
  const actor = { ...userOf(BETA), userId: `usr_${SECRET}` } as const;
  const message = { role: 'user', content: 'hello' } as const;

  await tick();
  await note('same name', store.createProject({ tenantId: BETA, name: SECRET }, BETA));
  await note('projects', store.listProjects(BETA));
  let cursor: string | undefined;
  do {
    const page = await store.listProjects(BETA, { limit: 1, ...(cursor && { cursor }) });
    cursor = page.nextCursor;
    lines.push(`page: ${normal(page.items, names)} more: ${cursor !== undefined}`);
  } while (cursor !== undefined);
  await note('sessions', store.listSessionsByProject(project.id, BETA));
  await note('unknown project', store.getProject('prj_nobody', BETA));
  await note('unknown session', store.getSession('ses_nobody', BETA));
  await note('unknown edge', store.getSubSession('sub_nobody', BETA));
  await note('unknown summary', store.getSummary('ses_nobody', BETA));
  await note('unknown drill', store.drill('ses_nobody', BETA));
  await note('unknown append', store.appendMessage('ses_nobody', message, BETA));
  await note('unknown sweep', manager.sweep('prj_nobody', BETA));
  await note(
    'same actor',
    store.createSession({ projectId: project.id, currentActor: actor }, BETA),
  );
  const options = { idempotencyKey: SECRET };
  await note('same key', store.appendMessages(session.id, [message], BETA, options));
  await note('same key again', store.appendMessages(session.id, [message], BETA, options));
  await note('count', store.countMessages(session.id, BETA));
  await note('unknown message', store.loadMessages(session.id, BETA, { after: 'msg_nobody' }));
  const summary = beta.world.summary(session, { id: `sum_${SECRET}` });
  await note('same summary id', store.recordSummary(summary, BETA));
  const same = { broadcastGroupId: SECRET, summaryRef: `sum_${SECRET}` } as const;
  await note('same group', store.updateSubSession({ ...edge, ...same, status: 'idle' }, BETA));
  await note('children', store.getChildren(session.id, BETA));
  await note('ancestry', store.getAncestry(edge.childSessionId, BETA));
  await note('drill', store.drill(session.id, BETA));
  await note('archive', manager.archive(edge.id, BETA));
  await note('archived', store.getSubSession(edge.id, BETA));
  await note('restore', manager.restore(edge.id, BETA));
  await note('sweep', manager.sweep(project.id, BETA, { policy: { maxSubSessionsPerProject: 0 } }));
  const recipient = await store.createSession({ projectId: project.id, currentActor: null }, BETA);
  await tick();
  const handoff = executeSingleHandoff(
    deps,
    {
      id: generateHandoffId(),
      mode: 'single',
      sourceSessionId: recipient.id,
      tenantId: BETA,
      projectId: project.id,
      sourceActor: userOf(BETA),
      recipientActor: userOf(BETA),
      expectedOwnerVersion: 0,
      createdAt: new Date(),
    },
    BETA,
  );
  await note('handoff', handoff);
  await note('recovery', recoverHandoffs(deps, BETA));
  const capacity = new DefaultCapacityValidator(store);
  await note('depth', capacity.validateDepth(edge.childSessionId, 1, BETA));
  await note('width', capacity.validateWidth(session.id, 1, 1, BETA));
  await note('unknown depth', capacity.validateDepth('ses_nobody', 1, BETA));
  await note('attached', store.deleteSession(session.id, BETA));
  await note('detach', store.deleteSubSession(edge.id, BETA));
  await note('delete', store.deleteSession(edge.childSessionId, BETA));
  await note('all', store.listSessionsByProject(project.id, BETA));
  return lines;
}

describeStores((make) => {
  it('what a tenant is answered is the same whatever another one has', async () => {
    const alone = await transcript(nothing, make);
    expect(alone.length).toBeGreaterThan(30);
    expect(alone.join('\n')).not.toContain(ALPHA);
    expect(await transcript(records, make)).toStrictEqual(alone);
    expect(await transcript(much, make)).toStrictEqual(alone);
  });

  it("a tenant's own reference to another's bundle finds nothing", async () => {
    const { store, manager, alpha, beta, root } = await tenancy(make, records);
    const other = await tenancy(make, nothing);
    const restored = async (of: typeof beta, by: ArchivalManager, of2: ExtendedSessionStore) => {
      await of2.updateSubSession(
        {
          ...of.edge,
          status: 'archived',
          archiveRef: alpha.tombstone.archiveRef,
          archivedAt: new Date(),
        },
        BETA,
      );
      const error = await by.restore(of.edge.id, BETA).catch((error) => error);
      return { name: error.name, message: error.message, details: error.details };
    };
    const reached = await restored(beta, manager, store);
    expect(reached.details).toStrictEqual({
      archiveRef: alpha.tombstone.archiveRef,
      reason: 'missing',
    });
    // Where there is no such bundle at all, the answer is the same to the letter.
    expect(await restored(other.beta, other.manager, other.store)).toStrictEqual(reached);
    expect(present(await store.getSubSession(beta.edge.id, BETA)).status).toBe('archived');
    expect(root).not.toBe(other.root);
  });

  it("an evicted session of a tenant does not get another's messages back", async () => {
    const { store, manager, alpha, beta } = await tenancy(make, records);
    const { edge } = beta;
    await store.appendMessage(edge.childSessionId, { role: 'user', content: 'own' }, BETA);
    await store.updateSubSession({ ...edge, status: 'idle' }, BETA);
    const own = await manager.archive(edge.id, BETA, { evict: true });
    const archived = present(await store.getSubSession(edge.id, BETA));
    // While it is evicted its edge names no other bundle.
    const stolen = { ...archived, archiveRef: alpha.tombstone.archiveRef };
    await expect(store.updateSubSession(stolen, BETA)).rejects.toMatchObject({
      name: 'SessionEvictedError',
      details: { archiveRef: own.archiveRef },
    });
    await manager.restoreSession(edge.childSessionId, BETA);
    await store.updateSubSession(stolen, BETA);
    await expect(manager.restore(edge.id, BETA)).rejects.toMatchObject({
      name: 'ArchiveNotFoundError',
      details: { reason: 'missing' },
    });
    await store.updateSubSession(archived, BETA);
    await manager.restore(edge.id, BETA);
    const messages = await store.loadMessages(edge.childSessionId, BETA);
    expect(messages).toStrictEqual([{ role: 'user', content: 'own' }]);
    expect(own.archiveRef).toBe(archived.archiveRef);
  });
});
