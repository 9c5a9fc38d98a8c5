import { CorruptRecordError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { diskWorld, reopened } from '../support/disk-world.js';
import {
  messagesFile,
  projectFile,
  sessionFile,
  subSessionFile,
  summaryFile,
} from '../support/paths.js';
import { rejectionOf } from '../support/rejection.js';
import { editRecord, readRecord, readText, writeText } from '../support/tree.js';
import { ALPHA, present } from '../support/world.js';

const FOREIGN = { _legacy: true, schemaVersion: 3, 'x-ext': { nested: [1, { deep: null }] } };
const SUMMARIZED = { status: 'idle' } as const;

/** A root with a session that has one of everything, and where the records are. */
async function fullRoot() {
  const { world, root } = await diskWorld();
  const [session, child] = [await world.session(), await world.session()];
  const edge = await world.change(await world.edge(session, child), {
    broadcastGroupId: 'group',
    archivedAt: new Date(5),
  });
  await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
  const summary = world.summary(session);
  await world.store.recordSummary(summary, ALPHA);
  return {
    root,
    session: present(await world.store.getSession(session.id, ALPHA)),
    edge,
    summary,
    project: world.project,
    files: {
      project: projectFile(world.project.id),
      session: sessionFile(session),
      edge: subSessionFile(session, edge),
      summary: summaryFile(session),
      messages: messagesFile(session),
    },
  };
}

describe('keys that we do not know', () => {
  it('are no obstacle to reading', async () => {
    const { root, files, session, edge, summary, project } = await fullRoot();
    const { store } = await reopened(root, async (copy) => {
      for (const file of [files.project, files.session, files.edge, files.summary]) {
        await editRecord(copy, file, FOREIGN);
      }
      const line = JSON.parse(await readText(copy, files.messages)) as object;
      await writeText(copy, files.messages, `${JSON.stringify({ ...line, ...FOREIGN })}\n`);
    });
    expect(await store.getProject(project.id, ALPHA)).toMatchObject(project);
    expect(await store.getSession(session.id, ALPHA)).toMatchObject(session);
    expect(await store.getSubSession(edge.id, ALPHA)).toMatchObject(edge);
    expect(await store.getSummary(session.id, ALPHA)).toMatchObject(summary);
    expect(await store.loadMessages(session.id, ALPHA)).toStrictEqual([
      { role: 'user', content: 'x' },
    ]);
  });

  it('survive an update of a session', async () => {
    const { root, files, session } = await fullRoot();
    const { store, root: copy } = await reopened(root, (dir) =>
      editRecord(dir, files.session, FOREIGN),
    );
    await store.updateSession({ ...session, ownerVersion: 5 }, ALPHA, 0);
    const record = await readRecord(copy, files.session);
    expect(record).toMatchObject({ ...FOREIGN, ownerVersion: 5 });
    const known = Object.keys(record).filter((key) => !(key in FOREIGN));
    expect(known).toStrictEqual(Object.keys(await readRecord(root, files.session)));
  });

  it('survive the status change that a summary makes', async () => {
    const { root, files, session, summary } = await fullRoot();
    const { store, root: copy } = await reopened(root, (dir) =>
      editRecord(dir, files.session, { ...FOREIGN, status: 'active' }),
    );
    await store.recordSummary(summary, ALPHA);
    expect(await readRecord(copy, files.session)).toMatchObject({ ...FOREIGN, ...SUMMARIZED });
    expect(await store.getSession(session.id, ALPHA)).toMatchObject(SUMMARIZED);
  });

  it('survive an update of an edge, and cleared known keys do not', async () => {
    const { root, files, edge } = await fullRoot();
    const { store, root: copy } = await reopened(root, (dir) =>
      editRecord(dir, files.edge, FOREIGN),
    );
    const { broadcastGroupId: _group, archivedAt: _at, ...bare } = edge;
    await store.updateSubSession({ ...bare, status: 'failed' }, ALPHA);
    const record = await readRecord(copy, files.edge);
    expect(record).toMatchObject({ ...FOREIGN, status: 'failed' });
    expect(record).not.toHaveProperty('broadcastGroupId');
    expect(record).not.toHaveProperty('archivedAt');
    expect(await store.getSubSession(edge.id, ALPHA)).not.toHaveProperty('broadcastGroupId');
  });

  it('survive several updates, and updates of other records', async () => {
    const { root, files, session, edge } = await fullRoot();
    const { store, root: copy } = await reopened(root, async (dir) => {
      await editRecord(dir, files.session, FOREIGN);
      await editRecord(dir, files.project, FOREIGN);
    });
    await store.updateSession(session, ALPHA);
    await store.updateSession(session, ALPHA);
    await store.updateSubSession(edge, ALPHA);
    await store.createSession({ projectId: session.projectId, currentActor: null }, ALPHA);
    expect(await readRecord(copy, files.session)).toMatchObject(FOREIGN);
    expect(await readRecord(copy, files.project)).toMatchObject(FOREIGN);
  });

  it('may be numbers that JavaScript cannot hold: they are kept as they are written', async () => {
    const { root, files, session } = await fullRoot();
    const { store, root: copy } = await reopened(root, async (dir) => {
      const text = await readText(dir, files.session);
      const big = text.replace(/^\{/, '{\n  "_big": 12345678901234567890123,');
      await writeText(dir, files.session, big);
    });
    await store.updateSession(session, ALPHA);
    expect(await readText(copy, files.session)).toContain('12345678901234567890123');
  });
});

describe('schemaVersion', () => {
  it.each([1, 2, 3, 4])('%i is accepted', async (schemaVersion) => {
    const { root, files, session } = await fullRoot();
    const { store } = await reopened(root, (dir) =>
      editRecord(dir, files.session, { schemaVersion }),
    );
    expect(await store.getSession(session.id, ALPHA)).toMatchObject({ id: session.id });
  });

  it.each([5, 99])('%i is refused in every record', async (schemaVersion) => {
    const { root, files, session, edge, project } = await fullRoot();
    const { store } = await reopened(root, async (dir) => {
      for (const file of [files.project, files.session, files.edge, files.summary]) {
        await editRecord(dir, file, { schemaVersion });
      }
    });
    const refused = async (promise: Promise<unknown>, path: string) => {
      const error = await rejectionOf(promise, CorruptRecordError);
      expect(error.details).toEqual({ path, reason: 'schemaVersion' });
      expect(error.message).toContain(path);
    };
    await refused(store.getProject(project.id, ALPHA), files.project);
    await refused(store.getSession(session.id, ALPHA), files.session);
    await refused(store.updateSession(session, ALPHA), files.session);
    await refused(store.getSubSession(edge.id, ALPHA), files.edge);
    await refused(store.updateSubSession(edge, ALPHA), files.edge);
  });

  it('above 4 is refused in a summary', async () => {
    const { root, files, session } = await fullRoot();
    const { store } = await reopened(root, (dir) =>
      editRecord(dir, files.summary, { schemaVersion: 5 }),
    );
    const error = await rejectionOf(store.getSummary(session.id, ALPHA), CorruptRecordError);
    expect(error.details).toEqual({ path: files.summary, reason: 'schemaVersion' });
    expect(await store.getSession(session.id, ALPHA)).toMatchObject({ id: session.id });
  });

  it('above 4 is refused before anything is written', async () => {
    const { root, files, session } = await fullRoot();
    const { store, root: copy } = await reopened(root, (dir) =>
      editRecord(dir, files.session, { schemaVersion: 5 }),
    );
    const before = await readText(copy, files.session);
    await rejectionOf(store.updateSession(session, ALPHA), CorruptRecordError);
    expect(await readText(copy, files.session)).toBe(before);
  });
});
