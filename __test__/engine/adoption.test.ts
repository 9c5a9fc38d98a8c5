import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectId, SessionId, TenantId } from 'namzu-native';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { runChild } from '../support/child.js';
import { fixtureIsAbsent, fixturePath } from '../support/fixtures.js';
import { tempRoot } from '../support/temp-root.js';
import { bytesOf, namesBelow, readRecord } from '../support/tree.js';
import { ALPHA, present } from '../support/world.js';
import { engineFile } from './engine-files.js';
import { answersOf, type GeneratedRoot, generatedRoot } from './generated-root.js';

const FIXTURE = 'roots/sdk-0.2.0';
const open = (rootDir: string) => new DiskSessionStore({ rootDir });

describe('a root of 600 sessions that has no .store/', () => {
  it('is not changed by reading all of it', async () => {
    const root = await generatedRoot(600);
    const names = await namesBelow(root.dir);
    const bytes = await bytesOf(root.dir, ['projects']);
    const store = open(root.dir);
    const answers = (await answersOf(store, root)) as { sessions: { view: unknown }[] };
    expect(answers.sessions.filter(({ view }) => view === null)).toStrictEqual([]);
    expect(await namesBelow(root.dir)).toStrictEqual(names);
    expect(await bytesOf(root.dir, ['projects'])).toStrictEqual(bytes);
  });

  it('gets its index and its journal from the first change', async () => {
    const root = await generatedRoot(600);
    await open(root.dir).appendMessage('ses_000001', { role: 'user', content: 'first' }, ALPHA);
    for (const name of ['frames', 'index', 'lock', 'progress']) {
      expect(existsSync(engineFile(root.dir, name)), name).toBe(true);
    }
    expect((await namesBelow(root.dir)).filter((name) => name.endsWith('.tmp'))).toStrictEqual([]);
  });

  it('is told about the same by every later store as by the first', async () => {
    const root = await generatedRoot(600);
    const store = open(root.dir);
    const answers = await answersOf(store, root);
    expect(await answersOf(store, root)).toStrictEqual(answers);
    await store.createProject({ tenantId: ALPHA, name: 'the first change' }, ALPHA);
    expect(await answersOf(store, root)).toStrictEqual(answers);
    await store.close();
    expect(await answersOf(open(root.dir), root)).toStrictEqual(answers);
  });

  it('gets no .store/ from a change that is refused', async () => {
    const root = await generatedRoot(20);
    const refused = open(root.dir).appendMessage('ses_none', { role: 'user', content: 'x' }, ALPHA);
    await expect(refused).rejects.toThrow('not found');
    expect(existsSync(join(root.dir, '.store'))).toBe(false);
  });

  it('keeps an edge between sessions of two projects, and its children can be deleted', async () => {
    const root = await generatedRoot(600);
    const store = open(root.dir);
    await expect(store.deleteSession('ses_000011', ALPHA)).rejects.toThrow('attached');
    await store.deleteSubSession('sub_000011', ALPHA);
    await store.deleteSession('ses_000011', ALPHA);
    expect(await store.getAncestry('ses_000012', ALPHA)).toStrictEqual([
      'ses_000010',
      'ses_000012',
    ]);
    expect(await store.getChildren('ses_000010', ALPHA)).toHaveLength(8);
  });
});

describe('a .store/ that is deleted while nothing runs', () => {
  async function used(): Promise<GeneratedRoot> {
    const root = await generatedRoot(200);
    const store = open(root.dir);
    await store.appendMessage('ses_000001', { role: 'user', content: 'x' }, ALPHA);
    await store.deleteSubSession('sub_000012', ALPHA);
    await store.updateSession(
      { ...present(await store.getSession('ses_000003', ALPHA)), ownerVersion: 7 },
      ALPHA,
    );
    await store.close();
    return root;
  }

  it('changes no answer, and is made anew by the next change', async () => {
    const root = await used();
    const before = open(root.dir);
    const answers = await answersOf(before, root);
    await before.close();
    rmSync(join(root.dir, '.store'), { recursive: true });

    const store = open(root.dir);
    expect(await answersOf(store, root)).toStrictEqual(answers);
    expect(existsSync(join(root.dir, '.store'))).toBe(false);
    await store.createProject({ tenantId: ALPHA, name: 'x' }, ALPHA);
    expect(existsSync(engineFile(root.dir, 'index'))).toBe(true);
    expect(await answersOf(store, root)).toStrictEqual(answers);
    await store.close();
    expect(await answersOf(open(root.dir), root)).toStrictEqual(answers);
  });

  it('loses nothing that an earlier process wrote and did not close', async () => {
    const root = tempRoot();
    const { session } = (await runChild('write-everything.mjs', [root])) as { session: SessionId };
    rmSync(join(root, '.store'), { recursive: true });
    const store = open(root);
    expect(await store.loadMessages(session, ALPHA)).toHaveLength(2);
    expect(await store.getSummary(session, ALPHA)).toMatchObject({ agentSummary: 'private' });
    expect(await store.getChildren(session, ALPHA)).toHaveLength(1);
  });
});

describe.skipIf(fixtureIsAbsent(FIXTURE))('a root that @namzu/sdk 0.2.0 wrote', () => {
  function copiedRoot(): string {
    const root = tempRoot();
    cpSync(fixturePath(`${FIXTURE}/root`), root, { recursive: true });
    return root;
  }

  async function sessionsOf(root: string) {
    const files = (await namesBelow(root)).filter((name) => name.endsWith('/session.json'));
    const records = await Promise.all(files.map((file) => readRecord(root, file)));
    return records as unknown as { id: SessionId; tenantId: TenantId; projectId: ProjectId }[];
  }

  it('is not changed by reading and closing', async () => {
    const root = copiedRoot();
    const names = await namesBelow(root);
    const bytes = await bytesOf(root, ['projects', 'archive']);
    const store = open(root);
    for (const { id, tenantId } of await sessionsOf(root)) {
      expect(await store.drill(id, tenantId)).toMatchObject({ session: { id } });
    }
    await store.close();
    expect(await namesBelow(root)).toStrictEqual(names);
    expect(await bytesOf(root, ['projects', 'archive'])).toStrictEqual(bytes);
  });

  it('answers the same before and after the change that adopts it', async () => {
    const root = copiedRoot();
    const store = open(root);
    const sessions = await sessionsOf(root);
    const views = () => Promise.all(sessions.map((one) => store.drill(one.id, one.tenantId)));
    const before = await views();
    const [{ tenantId, projectId }] = sessions as [(typeof sessions)[0]];
    await store.createSession({ projectId, currentActor: null }, tenantId);
    expect(existsSync(engineFile(root, 'index'))).toBe(true);
    expect(existsSync(engineFile(root, 'frames'))).toBe(true);
    expect(await views()).toStrictEqual(before);
  });
});
