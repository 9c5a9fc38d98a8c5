import { readFileSync, writeFileSync } from 'node:fs';
import { DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { HandWrittenRoot } from '../support/hand-written.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA } from '../support/world.js';
import { engineFile } from './engine-files.js';
import { type GeneratedRoot, generatedRoot } from './generated-root.js';

const SESSIONS = 20;
/** More lookups than it takes for the index to be in memory. */
const FIRST = 256;

/** A root that a store has made its own: it has an index. */
async function adoptedRoot(): Promise<GeneratedRoot> {
  const root = await generatedRoot(SESSIONS);
  await using store = new DiskSessionStore({ rootDir: root.dir });
  await store.refresh();
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

it('answers the lookups behind the first ones the same', async () => {
  const root = await adoptedRoot();
  await using store = freshStore(root);
  for (let round = 0; round < FIRST / SESSIONS + 2; round += 1) {
    for (const [i, id] of root.sessions.entries()) {
      const session = await store.getSession(id, ALPHA);
      expect(session).toMatchObject({ id, projectId: root.projects[i] });
    }
  }
});

it('answers the same of the two that have a session, of whom one came by hand', async () => {
  const hand = new HandWrittenRoot(tempRoot());
  const [smaller, larger] = ['prj_000001', 'prj_000002'] as const;
  for (const id of [smaller, larger]) await hand.project(id);
  await hand.session(larger, 'ses_000001');
  {
    await using store = new DiskSessionStore({ rootDir: hand.dir });
    await store.createProject({ tenantId: ALPHA, name: 'the change that adopts it' }, ALPHA);
  }
  await hand.session(smaller, 'ses_000001');
  await using store = new DiskSessionStore({ rootDir: hand.dir });
  for (let lookup = 0; lookup < 2 * FIRST; lookup += 1) {
    const session = await store.getSession('ses_000001', ALPHA);
    expect(session).toMatchObject({ projectId: smaller });
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

it('finds a session whose entry in the index does not hold', async () => {
  const root = await adoptedRoot();
  const path = engineFile(root.dir, 'index');
  const id = root.sessions[7] ?? 'ses_none';
  const entry = `s${id}\0prj_000007`;
  const text = readFileSync(path, 'latin1');
  expect(text).toContain(entry);
  writeFileSync(path, text.replace(entry, `s${id}\0prj_000008`), 'latin1');
  await using store = freshStore(root);
  expect(await store.getSession(id, ALPHA)).toMatchObject({ id, projectId: 'prj_000007' });
});
