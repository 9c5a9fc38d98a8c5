import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { HandWrittenRoot } from '../support/hand-written.js';
import { rejection } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { bytesOf, readRecord, readText, writeText } from '../support/tree.js';
import { ALPHA, UNKNOWN_SESSION } from '../support/world.js';

function handWritten() {
  const root = new HandWrittenRoot(tempRoot());
  return { root, store: new DiskSessionStore({ rootDir: root.dir }) };
}

describe('names that are none of ours', () => {
  it('are ignored at every level', async () => {
    const { root, store } = handWritten();
    await root.project('prj_a');
    await root.session('prj_a', 'ses_parent');
    await root.session('prj_a', 'ses_child');
    await root.edge('prj_a', 'ses_parent', 'ses_child', 'sub_edge');
    const sessions = 'projects/prj_a/sessions';
    for (const stray of [
      'README.md',
      'projects/root-path-index.json',
      'projects/.DS_Store',
      'projects/prj_file',
      'projects/not an id/project.json',
      'projects/prj_a~/project.json',
      'projects/prj_a.bak/sessions/ses_child/session.json',
      'projects/prj_a/notes.txt',
      `${sessions}/.DS_Store`,
      `${sessions}/ses_file`,
      `${sessions}/ses_child.bak/session.json`,
      `${sessions}/ses_child (copy)/session.json`,
      `${sessions}/ses_parent/session.json.swp`,
      `${sessions}/ses_parent/subsessions/.DS_Store`,
      `${sessions}/ses_parent/subsessions/sub_file`,
      `${sessions}/ses_parent/subsessions/sub_edge.bak/subsession.json`,
      `${sessions}/ses_parent/runs/run_1/run.json`,
    ]) {
      await writeText(root.dir, stray, 'not ours');
    }
    expect(await store.getProject('prj_a', ALPHA)).toMatchObject({ id: 'prj_a' });
    expect(await store.getProject('prj_file', ALPHA)).toBeNull();
    expect(await store.getSession('ses_file', ALPHA)).toBeNull();
    expect(await store.getSubSession('sub_file', ALPHA)).toBeNull();
    expect(await store.getSession(UNKNOWN_SESSION, ALPHA)).toBeNull();
    expect(await store.drill('ses_parent', ALPHA)).toMatchObject({
      session: { id: 'ses_parent' },
      children: [{ id: 'sub_edge' }],
      ancestry: ['ses_parent'],
    });
    expect(await store.getAncestry('ses_child', ALPHA)).toStrictEqual(['ses_parent', 'ses_child']);
    await store.deleteSubSession('sub_edge', ALPHA);
    await store.deleteSession('ses_child', ALPHA);
    expect(await store.getSession('ses_child', ALPHA)).toBeNull();
    expect(await readText(root.dir, 'projects/.DS_Store')).toBe('not ours');
  });

  it('include directories of ids without a record', async () => {
    const { root, store } = handWritten();
    await root.project('prj_a');
    await root.session('prj_a', 'ses_parent');
    for (const empty of ['prj_empty', 'prj_a/sessions/ses_empty/runs']) {
      await mkdir(join(root.dir, 'projects', empty), { recursive: true });
    }
    await mkdir(join(root.dir, 'projects/prj_a/sessions/ses_parent/subsessions/sub_empty'), {
      recursive: true,
    });
    expect(await store.getProject('prj_empty', ALPHA)).toBeNull();
    expect(await store.getSession('ses_empty', ALPHA)).toBeNull();
    expect(await store.loadMessages('ses_empty', ALPHA)).toStrictEqual([]);
    expect(await store.getSubSession('sub_empty', ALPHA)).toBeNull();
    expect(await store.getChildren('ses_parent', ALPHA)).toStrictEqual([]);
    await store.deleteSession('ses_parent', ALPHA);
    expect(await store.getSession('ses_parent', ALPHA)).toBeNull();
  });
});

describe('a session id that several projects have', () => {
  async function legacy() {
    const { root, store } = handWritten();
    for (const projectId of ['prj_m', 'prj_b', 'prj_a', 'prj_z'] as const) {
      await root.project(projectId);
      if (projectId !== 'prj_a') await root.session(projectId, 'ses_legacy_default');
    }
    return { root, store };
  }

  it('is the one of the smallest project id', async () => {
    const { store } = await legacy();
    expect(await store.getSession('ses_legacy_default', ALPHA)).toMatchObject({
      projectId: 'prj_b',
    });
  });

  it('is that one for writes too', async () => {
    const { root, store } = await legacy();
    const id = 'ses_legacy_default';
    const session = await store.getSession(id, ALPHA);
    if (!session) throw new Error('no session');
    const others = ['projects/prj_m', 'projects/prj_z', 'projects/prj_a'];
    const before = await bytesOf(root.dir, others);

    await store.updateSession({ ...session, ownerVersion: 7 }, ALPHA);
    await store.appendMessage(id, { role: 'user', content: 'x' }, ALPHA);

    const dir = `projects/prj_b/sessions/${id}`;
    expect(await readRecord(root.dir, `${dir}/session.json`)).toMatchObject({ ownerVersion: 7 });
    expect(await readText(root.dir, `${dir}/messages.jsonl`)).toContain('"x"');
    expect(await bytesOf(root.dir, others)).toStrictEqual(before);
  });

  it('is the next one after that one is deleted', async () => {
    const { store } = await legacy();
    await store.deleteSession('ses_legacy_default', ALPHA);
    expect(await store.getSession('ses_legacy_default', ALPHA)).toMatchObject({
      projectId: 'prj_m',
    });
  });
});

describe('a root that is missing', () => {
  it('reads as empty, and is not created', async () => {
    const rootDir = tempRoot();
    const store = new DiskSessionStore({ rootDir });
    expect(await store.getProject('prj_x', ALPHA)).toBeNull();
    expect(await store.getSession('ses_x', ALPHA)).toBeNull();
    expect(await store.getSubSession('sub_x', ALPHA)).toBeNull();
    expect(await store.loadMessages('ses_x', ALPHA)).toStrictEqual([]);
    expect(await store.loadSessionMessages('ses_x', ALPHA)).toStrictEqual([]);
    expect(await store.getChildren('ses_x', ALPHA)).toStrictEqual([]);
    expect(await store.getAncestry('ses_x', ALPHA)).toStrictEqual([]);
    expect(await store.drill('ses_x', ALPHA)).toBeNull();
    expect(await store.getSummary('ses_x', ALPHA)).toBeNull();
    expect(existsSync(rootDir)).toBe(false);
  });

  it('is still missing after deletions of nothing and refused writes', async () => {
    const rootDir = tempRoot();
    const store = new DiskSessionStore({ rootDir });
    await store.deleteSession('ses_x', ALPHA);
    await store.deleteSubSession('sub_x', ALPHA);
    const message = { role: 'user', content: 'x' } as const;
    expect((await rejection(store.appendMessage('ses_x', message, ALPHA))).message).toContain(
      'not found',
    );
    expect(await store.getSession('ses_x', ALPHA)).toBeNull();
  });

  it('is created by the first write, parents included', async () => {
    const rootDir = join(tempRoot(), 'a', 'b');
    const store = new DiskSessionStore({ rootDir });
    const project = await store.createProject({ tenantId: ALPHA, name: 'x' }, ALPHA);
    expect(existsSync(join(rootDir, 'projects', project.id, 'project.json'))).toBe(true);
  });
});
