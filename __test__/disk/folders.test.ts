import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskWorld, reopened } from '../support/disk-world.js';
import {
  messagesFile,
  projectFile,
  sessionDir,
  sessionFile,
  subSessionFile,
  summaryFile,
} from '../support/paths.js';
import { bytesOf, namesBelow, readRecord, readText, writeText } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

const filesOnly = (names: string[]) => names.filter((name) => !name.endsWith('/'));

describe('deleteSession on disk', () => {
  it('removes everything in the folder, runs included, and leaves the parent folders', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
    await world.store.recordSummary(world.summary(session), ALPHA);
    await writeText(root, `${sessionDir(session)}/runs/run_1/transcript.jsonl`, '{}\n');

    await world.store.deleteSession(session.id, ALPHA);

    const projects = filesOnly(await namesBelow(join(root, 'projects')));
    expect(projects).toStrictEqual([`${world.project.id}/project.json`]);
    expect(existsSync(join(root, 'projects', world.project.id, 'sessions'))).toBe(true);
  });

  it('does not bring the session back when the root is opened again', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    await world.store.deleteSession(session.id, ALPHA);
    const { store } = await reopened(root);
    expect(await store.getSession(session.id, ALPHA)).toBeNull();
  });
});

describe('deleteSubSession on disk', () => {
  it('removes the record and leaves the parent folders', async () => {
    const { world, root } = await diskWorld();
    const [parent, child] = [await world.session(), await world.session()];
    const edge = await world.edge(parent, child);
    await world.store.deleteSubSession(edge.id, ALPHA);
    expect(existsSync(join(root, subSessionFile(parent, edge)))).toBe(false);
    expect(existsSync(join(root, sessionDir(parent), 'subsessions'))).toBe(true);
    expect(existsSync(join(root, sessionFile(child)))).toBe(true);
  });
});

describe('runs, which are the application’s', () => {
  it('are touched by no other method', async () => {
    const { world, root } = await diskWorld();
    const [session, child] = [await world.session(), await world.session()];
    const run = `${sessionDir(session)}/runs/run_1/report.md`;
    await writeText(root, run, '# Report');
    const edge = await world.edge(session, child);
    await world.changeSession(session, { status: 'active' });
    await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
    await world.store.recordSummary(world.summary(session), ALPHA);
    await world.store.deleteSubSession(edge.id, ALPHA);
    expect(await readText(root, run)).toBe('# Report');
  });
});

describe('the folder of a record', () => {
  it('stays when an update gives an edge another parent', async () => {
    const { world, root } = await diskWorld();
    const [from, to, child] = [await world.session(), await world.session(), await world.session()];
    const edge = await world.edge(from, child);
    await world.change(edge, { parentSessionId: to.id });
    expect(await readRecord(root, subSessionFile(from, edge))).toMatchObject({
      parentSessionId: to.id,
    });
    expect(existsSync(join(root, subSessionFile(to, edge)))).toBe(false);
  });

  it('stays when an update gives a session another project', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    const other = await world.store.createProject({ tenantId: ALPHA, name: 'other' }, ALPHA);
    const moved = await world.changeSession(session, { projectId: other.id });
    expect(moved.projectId).toBe(other.id);
    expect(await readRecord(root, sessionFile(session))).toMatchObject({ projectId: other.id });
    expect(existsSync(join(root, sessionFile(moved)))).toBe(false);

    await world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
    expect(existsSync(join(root, messagesFile(session)))).toBe(true);
    const { store } = await reopened(root);
    expect(await store.getSession(session.id, ALPHA)).toStrictEqual(moved);
    expect(await store.loadMessages(session.id, ALPHA)).toHaveLength(1);
  });

  it('does not decide the linkage when a root is opened again', async () => {
    const { world, root } = await diskWorld();
    const [from, to, child] = [await world.session(), await world.session(), await world.session()];
    const edge = await world.change(await world.edge(from, child), { parentSessionId: to.id });
    const { store } = await reopened(root);
    expect(await store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    expect(await store.getChildren(from.id, ALPHA)).toStrictEqual([]);
    expect(await store.getChildren(to.id, ALPHA)).toStrictEqual([edge]);
    expect(await store.getAncestry(child.id, ALPHA)).toStrictEqual([to.id, child.id]);
  });
});

describe('an edge whose folder is under a session that is deleted', () => {
  async function orphanedFolder() {
    const { world, root } = await diskWorld();
    const [from, to, child] = [await world.session(), await world.session(), await world.session()];
    await world.store.appendMessage(from.id, { role: 'user', content: 'x' }, ALPHA);
    await world.store.recordSummary(world.summary(from), ALPHA);
    await writeText(root, `${sessionDir(from)}/runs/run_1/run.json`, '{}');
    const edge = await world.change(await world.edge(from, child), { parentSessionId: to.id });
    await world.store.deleteSession(from.id, ALPHA);
    return { world, root, from, to, child, edge };
  }

  it('survives, for it has another parent by now', async () => {
    const { world, from, to, child, edge } = await orphanedFolder();
    expect(await world.store.getSession(from.id, ALPHA)).toBeNull();
    expect(await world.store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    expect(await world.store.getChildren(to.id, ALPHA)).toStrictEqual([edge]);
    expect(await world.store.getAncestry(child.id, ALPHA)).toStrictEqual([to.id, child.id]);
  });

  it('survives while everything else of that session is gone', async () => {
    const { root, from } = await orphanedFolder();
    for (const file of [sessionFile(from), messagesFile(from), summaryFile(from)]) {
      expect(existsSync(join(root, file))).toBe(false);
    }
    expect(existsSync(join(root, sessionDir(from), 'runs'))).toBe(false);
  });

  it('survives when the root is opened again, and can be changed and deleted', async () => {
    const { root, from, to, child, edge } = await orphanedFolder();
    const { store } = await reopened(root);
    expect(await store.getSession(from.id, ALPHA)).toBeNull();
    expect(await store.getChildren(to.id, ALPHA)).toStrictEqual([edge]);
    expect(await store.getAncestry(child.id, ALPHA)).toStrictEqual([to.id, child.id]);
    await store.updateSubSession({ ...edge, status: 'merged' }, ALPHA);
    expect(await store.getSubSession(edge.id, ALPHA)).toMatchObject({ status: 'merged' });
    await store.deleteSubSession(edge.id, ALPHA);
    expect(await store.getSubSession(edge.id, ALPHA)).toBeNull();
    await store.deleteSession(to.id, ALPHA);
    expect(await store.getSession(to.id, ALPHA)).toBeNull();
  });
});

describe('a write', () => {
  it('leaves the files of other records as they are, to the byte', async () => {
    const { world, root } = await diskWorld();
    const [session, other] = [await world.session(), await world.session()];
    await world.store.appendMessage(other.id, { role: 'user', content: 'x' }, ALPHA);
    const before = await bytesOf(root, ['projects']);
    await world.changeSession(session, { status: 'failed' });
    const after = await bytesOf(root, ['projects']);
    const changed = [...after].filter(([name, bytes]) => before.get(name) !== bytes);
    expect(changed.map(([name]) => name)).toStrictEqual([sessionFile(session)]);
    expect(after.size).toBe(before.size);
    expect(after.has(projectFile(world.project.id))).toBe(true);
  });
});
