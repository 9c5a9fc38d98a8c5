import { readFileSync, writeFileSync } from 'node:fs';
import { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { ALPHA } from '../support/world.js';
import { engineFile } from './engine-files.js';
import { type GeneratedRoot, generatedRoot } from './generated-root.js';

const SESSIONS = 20;

/** A root that a store has made its own: it has an index. */
async function adoptedRoot(): Promise<GeneratedRoot> {
  const root = await generatedRoot(SESSIONS);
  await using store = new DiskSessionStore({ rootDir: root.dir });
  await store.createProject({ tenantId: ALPHA, name: 'the change that adopts it' }, ALPHA);
  return root;
}

/** A store that has looked nothing up; the one before it was closed. */
const freshStore = ({ dir }: GeneratedRoot) => new DiskSessionStore({ rootDir: dir });

it('answers a first lookup as every later one, whichever session it is of', async () => {
  const root = await adoptedRoot();
  for (const [i, id] of root.sessions.entries()) {
    await using store = freshStore(root);
    for (let lookup = 0; lookup < 6; lookup += 1) {
      const session = await store.getSession(id, ALPHA);
      expect(session).toMatchObject({ id, projectId: root.projects[i] });
    }
  }
});

it('adds to a session that is looked up first by the change', async () => {
  const root = await adoptedRoot();
  for (const id of root.sessions.slice(1, 5)) {
    {
      await using store = freshStore(root);
      await store.appendMessage(id, { role: 'user', content: 'first' }, ALPHA);
    }
    await using store = freshStore(root);
    expect((await store.loadMessages(id, ALPHA)).at(-1)).toMatchObject({ content: 'first' });
  }
});

it('does not find what was deleted, nor what never was', async () => {
  const root = await adoptedRoot();
  const [projectId] = root.projects;
  if (projectId === undefined) throw new Error('no project');
  const created = freshStore(root);
  const { id } = await created.createSession({ projectId, currentActor: null }, ALPHA);
  await created.close();
  const deleted = freshStore(root);
  await deleted.deleteSession(id, ALPHA);
  await deleted.close();
  for (const missing of [id, 'ses_none', 'ses_00001'] as const) {
    await using store = freshStore(root);
    expect(await store.getSession(missing, ALPHA)).toBeNull();
  }
});

it('finds a session whose line in the index does not hold', async () => {
  const root = await adoptedRoot();
  const path = engineFile(root.dir, 'index');
  const id = root.sessions[7] ?? 'ses_none';
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(`+s ${id} prj_000007`, `+s ${id} prj_000008`));
  expect(readFileSync(path, 'utf8')).not.toBe(text);
  await using store = freshStore(root);
  expect(await store.getSession(id, ALPHA)).toMatchObject({ id, projectId: 'prj_000007' });
});
