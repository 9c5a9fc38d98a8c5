import { describe, expect, it } from 'vitest';
import { AWKWARD_MESSAGES } from '../support/awkward-messages.js';
import { diskWorld } from '../support/disk-world.js';
import {
  messagesFile,
  projectFile,
  sessionFile,
  subSessionFile,
  summaryFile,
} from '../support/paths.js';
import { namesBelow, readText } from '../support/tree.js';
import { ALPHA, agentOf, present, userOf } from '../support/world.js';

const ISO_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The text of a record: two spaces of indentation, and no newline at the end. */
const text = (record: object) => JSON.stringify(record, null, 2);

describe('records on disk', () => {
  it('writes project.json', async () => {
    const { world, root } = await diskWorld();
    const { id, createdAt, updatedAt } = world.project;
    expect(await readText(root, projectFile(id))).toBe(
      text({
        id,
        tenantId: ALPHA,
        name: 'World',
        config: { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 },
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      }),
    );
  });

  it('writes text that is not ASCII as it is', async () => {
    const { world, root } = await diskWorld();
    const name = 'Bogotá ✈ 東京 👩‍👩‍👧 \u2028 \u007f "\\/';
    const project = await world.store.createProject({ tenantId: ALPHA, name }, ALPHA);
    const written = await readText(root, projectFile(project.id));
    expect(written).toContain(`"name": ${JSON.stringify(name)}`);
  });

  it('writes session.json of a new session', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session(null);
    expect(await readText(root, sessionFile(session))).toBe(
      text({
        id: session.id,
        projectId: world.project.id,
        tenantId: ALPHA,
        status: 'idle',
        currentActor: null,
        previousActors: [],
        workspaceId: null,
        ownerVersion: 0,
        createdAt: session.createdAt.toISOString(),
        updatedAt: session.updatedAt.toISOString(),
      }),
    );
  });

  it('writes session.json after an update, whatever the order of the payload', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    await world.store.updateSession(
      {
        updatedAt: new Date(0),
        createdAt: new Date('2020-02-03T04:05:06.007Z'),
        ownerVersion: 3,
        workspaceId: 'wsp_1',
        previousActors: [userOf(ALPHA)],
        currentActor: agentOf(ALPHA),
        status: 'awaiting_hitl',
        tenantId: ALPHA,
        projectId: session.projectId,
        id: session.id,
      },
      ALPHA,
    );
    const stored = present(await world.store.getSession(session.id, ALPHA));
    expect(await readText(root, sessionFile(session))).toBe(
      text({
        id: session.id,
        projectId: world.project.id,
        tenantId: ALPHA,
        status: 'awaiting_hitl',
        currentActor: agentOf(ALPHA),
        previousActors: [userOf(ALPHA)],
        workspaceId: 'wsp_1',
        ownerVersion: 3,
        createdAt: '2020-02-03T04:05:06.007Z',
        updatedAt: stored.updatedAt.toISOString(),
      }),
    );
  });

  it('writes subsession.json of a new edge under its parent', async () => {
    const { world, root } = await diskWorld();
    const [parent, child] = [await world.session(), await world.session()];
    const edge = await world.edge(parent, child);
    expect(await readText(root, subSessionFile(parent, edge))).toBe(
      text({
        id: edge.id,
        parentSessionId: parent.id,
        childSessionId: child.id,
        tenantId: ALPHA,
        kind: 'agent_spawn',
        status: 'pending',
        spawnedBy: userOf(ALPHA),
        spawnedAt: edge.spawnedAt.toISOString(),
        failureMode: 'delegate',
        completionMode: 'summary_ref',
        workspaceId: null,
        updatedAt: edge.updatedAt.toISOString(),
      }),
    );
  });

  it('writes subsession.json with every optional key in its place', async () => {
    const { world, root } = await diskWorld();
    const [parent, child] = [await world.session(), await world.session()];
    const edge = await world.change(await world.edge(parent, child), {
      archivedAt: new Date('2026-05-06T07:08:09.010Z'),
      archiveRef: 'arc_1',
      summaryRef: 'sum_1',
      broadcastGroupId: 'group',
      prevArtifactRef: {
        id: 'del_1',
        kind: 'session_summary',
        sessionId: 'ses_x',
        summaryRef: 'sum_x',
        at: new Date('2026-04-02T08:00:00.000Z'),
      },
      workspaceId: 'wsp_1',
      spawnedAt: new Date('2020-02-03T04:05:06.007Z'),
    });
    expect(await readText(root, subSessionFile(parent, edge))).toBe(
      text({
        id: edge.id,
        parentSessionId: parent.id,
        childSessionId: child.id,
        tenantId: ALPHA,
        kind: 'agent_spawn',
        status: 'pending',
        spawnedBy: userOf(ALPHA),
        spawnedAt: '2020-02-03T04:05:06.007Z',
        failureMode: 'delegate',
        completionMode: 'summary_ref',
        workspaceId: 'wsp_1',
        prevArtifactRef: {
          id: 'del_1',
          kind: 'session_summary',
          sessionId: 'ses_x',
          summaryRef: 'sum_x',
          at: '2026-04-02T08:00:00.000Z',
        },
        broadcastGroupId: 'group',
        summaryRef: 'sum_1',
        archiveRef: 'arc_1',
        archivedAt: '2026-05-06T07:08:09.010Z',
        updatedAt: edge.updatedAt.toISOString(),
      }),
    );
  });

  it('writes summary.json', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    const summary = world.summary(session, {
      outcome: { status: 'partial', verdict: 'nearly' },
      deliverables: [
        { id: 'del_1', kind: 'file', path: 'out/a.pdf', contentHash: '9f', sizeBytes: 20480 },
        {
          id: 'del_2',
          kind: 'session_summary',
          sessionId: 'ses_x',
          summaryRef: 'sum_x',
          at: new Date('2026-04-02T08:00:00.000Z'),
        },
        { id: 'del_3', kind: 'artifact_blob', storageRef: 'blob://42', mediaType: 'text/plain' },
        { id: 'del_4', kind: 'message', sessionId: 'ses_x', runId: 'run_x', messageId: 'opaque' },
      ],
      keyDecisions: [{ summary: 'chose', at: new Date('2026-04-02T07:59:00.123Z') }],
    });
    await world.store.recordSummary(summary, ALPHA);
    expect(await readText(root, summaryFile(session))).toBe(
      text({
        id: summary.id,
        sessionRef: session.id,
        tenantId: ALPHA,
        outcome: { status: 'partial', verdict: 'nearly' },
        deliverables: summary.deliverables,
        agentSummary: 'Done.',
        keyDecisions: [{ at: '2026-04-02T07:59:00.123Z', summary: 'chose' }],
        at: '2026-01-02T03:04:05.678Z',
        materializedBy: 'kernel',
      }),
    );
  });

  it('writes a message as one compact line, the message itself verbatim', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    const messages = AWKWARD_MESSAGES.map(({ message }) => message);
    for (const message of messages) await world.store.appendMessage(session.id, message, ALPHA);
    const envelopes = await world.store.loadSessionMessages(session.id, ALPHA);
    const lines = envelopes.map(({ id, at }, i) =>
      JSON.stringify({ id, sessionId: session.id, tenantId: ALPHA, message: messages[i], at }),
    );
    const written = await readText(root, messagesFile(session));
    // Not by `expect` alone, which would print both texts of many megabytes.
    expect(written.length).toBe(lines.join('\n').length + 1);
    expect(written === `${lines.join('\n')}\n`, 'the text of the log').toBe(true);
  });

  it('writes dates as UTC with milliseconds', async () => {
    const { world, root } = await diskWorld();
    const session = await world.changeSession(await world.session(), { createdAt: new Date(-1) });
    const record = JSON.parse(await readText(root, sessionFile(session))) as Record<string, string>;
    expect(record.createdAt).toBe('1969-12-31T23:59:59.999Z');
    expect(record.updatedAt).toMatch(ISO_DATE);
  });
});

describe('names on disk', () => {
  it('creates exactly the files and directories of the format, each when it is needed', async () => {
    const { world, root } = await diskWorld();
    const [parent, child] = [await world.session(), await world.session()];
    const project = `projects/${world.project.id}/`;
    const under = (session: typeof parent) => `${project}sessions/${session.id}/`;
    const records = async () =>
      (await namesBelow(root)).filter((name) => !name.startsWith('.store')).sort();
    const expected = [
      'projects/',
      project,
      `${project}project.json`,
      `${project}sessions/`,
      under(parent),
      `${under(parent)}session.json`,
      under(child),
      `${under(child)}session.json`,
    ];
    expect(await records()).toStrictEqual([...expected].sort());

    const edge = await world.edge(parent, child);
    await world.store.appendMessage(child.id, { role: 'user', content: 'x' }, ALPHA);
    await world.store.recordSummary(world.summary(child), ALPHA);
    expected.push(
      `${under(parent)}subsessions/`,
      `${under(parent)}subsessions/${edge.id}/`,
      `${under(parent)}subsessions/${edge.id}/subsession.json`,
      `${under(child)}messages.jsonl`,
      `${under(child)}summary.json`,
    );
    expect(await records()).toStrictEqual([...expected].sort());
  });

  it('leaves no name that ends in .tmp, after successes and after failures', async () => {
    const { world, root } = await diskWorld();
    const [parent, child] = [await world.session(), await world.session()];
    const edge = await world.edge(parent, child);
    await world.change(edge, { status: 'failed' });
    await world.store.appendMessage(child.id, { role: 'user', content: 'x' }, ALPHA);
    await world.store.recordSummary(world.summary(child), ALPHA);
    await Promise.allSettled([
      world.store.updateSession({ ...child, status: 'failed' }, ALPHA, 9),
      world.store.deleteSession(parent.id, ALPHA),
      world.store.recordSummary(world.summary(child), ALPHA),
    ]);
    await world.store.deleteSubSession(edge.id, ALPHA);
    await world.store.deleteSession(child.id, ALPHA);
    expect((await namesBelow(root)).filter((name) => /\.tmp\/?$/.test(name))).toStrictEqual([]);
  });
});
