import { cp, mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectId, SessionId, SubSessionId } from 'namzu-native';
import { AttachedSubSessionsError, DiskSessionStore, InvalidArgumentError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { HandWrittenRoot } from '../support/hand-written.js';
import { sessionFile, subSessionFile } from '../support/paths.js';
import { rejectionOf } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA } from '../support/world.js';

const P: ProjectId = 'prj_p';
const A: SessionId = 'ses_a';
const B: SessionId = 'ses_b';
const C: SessionId = 'ses_c';
const E: SubSessionId = 'sub_e';

/** A root with sessions a, b and c that a store has had open, looked through and closed. */
async function known(edges: readonly (readonly [SessionId, SessionId, SubSessionId])[] = []) {
  const dir = tempRoot();
  const hand = new HandWrittenRoot(dir);
  await hand.project(P);
  for (const id of [A, B, C]) await hand.session(P, id);
  for (const [parent, child, id] of edges) await hand.edge(P, parent, child, id);
  // What changes in the same tick as the look is looked at again in any case.
  await new Promise((resolve) => setTimeout(resolve, 40));
  await using store = new DiskSessionStore({ rootDir: dir });
  await store.refresh();
  // The first change keeps what is known.
  await store.appendMessage(A, { role: 'user', content: 'kept' }, ALPHA);
  return { dir, hand, edge: join(dir, subSessionFile({ id: A, projectId: P }, { id: E })) };
}

/** What a store that opens the root now answers. */
async function opened<T>(dir: string, use: (store: DiskSessionStore) => Promise<T>): Promise<T> {
  await using store = new DiskSessionStore({ rootDir: dir });
  return await use(store);
}

const ancestry = (dir: string, id: SessionId) =>
  opened(dir, (store) => store.getAncestry(id, ALPHA));

describe('what another program wrote while no store had the root open', () => {
  it('an edge: the child is attached, and is not deleted', async () => {
    const { dir, hand } = await known();
    await hand.edge(P, A, B, E);
    await opened(dir, async (store) => {
      const refused = await rejectionOf(store.deleteSession(B, ALPHA), AttachedSubSessionsError);
      expect(refused.message).toContain('attached sub-sessions');
      expect(await store.getAncestry(B, ALPHA)).toStrictEqual([A, B]);
      expect(await store.getSubSession(E, ALPHA)).toMatchObject({ childSessionId: B });
    });
  });

  it.each(['in its place', 'by another file', 'with its times set back'])(
    'an edge that is led elsewhere %s',
    async (how) => {
      const { dir, edge } = await known([[A, B, E]]);
      const before = await readFile(edge, 'utf8');
      const led = before.replace(B, C);
      expect(led).toHaveLength(before.length);
      if (how === 'by another file') {
        await writeFile(`${edge}.new`, led);
        await rename(`${edge}.new`, edge);
      } else {
        await writeFile(edge, led);
        if (how === 'with its times set back') await utimes(edge, 1, 1);
      }
      expect(await ancestry(dir, C)).toStrictEqual([A, C]);
      expect(await ancestry(dir, B)).toStrictEqual([B]);
      await opened(dir, async (store) => {
        await rejectionOf(store.deleteSession(C, ALPHA), AttachedSubSessionsError);
        await store.deleteSession(B, ALPHA);
        expect(await store.getSession(B, ALPHA)).toBeNull();
      });
    },
  );

  it('an edge that was taken away', async () => {
    const { dir, edge } = await known([[A, B, E]]);
    await rm(join(edge, '..'), { recursive: true });
    expect(await ancestry(dir, B)).toStrictEqual([B]);
    await opened(dir, (store) => store.deleteSession(B, ALPHA));
    expect(await opened(dir, (store) => store.getSession(B, ALPHA))).toBeNull();
  });

  it('sessions that were moved in with their edges, and taken away', async () => {
    const other = await known([[A, B, E]]);
    const { dir } = await known();
    const at = (root: string, id: SessionId) => join(root, sessionFile({ id, projectId: P }), '..');
    await rm(at(dir, A), { recursive: true });
    await rename(at(other.dir, A), at(dir, A));
    expect(await ancestry(dir, B)).toStrictEqual([A, B]);
    await rename(at(dir, A), at(other.dir, A));
    expect(await ancestry(dir, B)).toStrictEqual([B]);
  });

  it('a project, with sessions and edges of its own', async () => {
    const { dir, hand } = await known();
    await hand.project('prj_q');
    await hand.session('prj_q', 'ses_q');
    await hand.session('prj_q', 'ses_r');
    await hand.edge('prj_q', 'ses_q', 'ses_r', 'sub_q');
    expect(await ancestry(dir, 'ses_r')).toStrictEqual(['ses_q', 'ses_r']);
    const { items } = await opened(dir, (store) => store.listProjects(ALPHA));
    expect(items.map(({ id }) => id).sort()).toStrictEqual([P, 'prj_q']);
  });

  it('folders that changed places', async () => {
    const { dir, hand, edge } = await known([[A, B, E]]);
    await hand.edge(P, A, C, 'sub_f');
    await opened(dir, (store) => store.refresh());
    const [e, f] = [join(edge, '..'), join(edge, '../../sub_f')];
    await writeFile(edge, (await readFile(edge, 'utf8')).replace(E, 'sub_f'));
    const other = join(f, 'subsession.json');
    await writeFile(other, (await readFile(other, 'utf8')).replace('sub_f', E));
    await rename(e, `${e}_`);
    await rename(f, e);
    await rename(`${e}_`, f);
    await opened(dir, async (store) => {
      expect(await store.getSubSession(E, ALPHA)).toMatchObject({ childSessionId: C });
      expect(await store.getSubSession('sub_f', ALPHA)).toMatchObject({ childSessionId: B });
      expect(await store.getAncestry(B, ALPHA)).toStrictEqual([A, B]);
      expect(await store.getAncestry(C, ALPHA)).toStrictEqual([A, C]);
    });
  });

  it('an older backup that is restored over it, times and all', async () => {
    const { dir } = await known([[A, B, E]]);
    const backup = tempRoot();
    await cp(dir, backup, { recursive: true, preserveTimestamps: true });
    await opened(dir, async (store) => {
      await store.deleteSubSession(E, ALPHA);
      await store.deleteSession(B, ALPHA);
      await store.createSubSession(
        {
          parentSessionId: A,
          childSessionId: C,
          kind: 'agent_spawn',
          spawnedBy: { kind: 'user', userId: 'usr_a', tenantId: ALPHA },
        } as never,
        ALPHA,
      );
    });
    await rm(join(dir, 'projects'), { recursive: true });
    await cp(join(backup, 'projects'), join(dir, 'projects'), {
      recursive: true,
      preserveTimestamps: true,
    });
    expect(await ancestry(dir, B)).toStrictEqual([A, B]);
    expect(await ancestry(dir, C)).toStrictEqual([C]);
    await opened(dir, (store) =>
      rejectionOf(store.deleteSession(B, ALPHA), AttachedSubSessionsError),
    );
  });

  it('what changed within the tick of the look', async () => {
    const { dir, edge } = await known([[A, B, E]]);
    for (let round = 0; round < 20; round += 1) {
      const [to, from] = round % 2 === 0 ? [C, B] : [B, C];
      await writeFile(edge, (await readFile(edge, 'utf8')).replace(from, to));
      expect(await ancestry(dir, to)).toStrictEqual([A, to]);
      expect(await ancestry(dir, from)).toStrictEqual([from]);
    }
  });
});

describe('refresh', () => {
  it('sees what was written while the store is open', async () => {
    const { dir, hand } = await known();
    await using store = new DiskSessionStore({ rootDir: dir });
    expect(await store.getAncestry(B, ALPHA)).toStrictEqual([B]);
    await hand.edge(P, A, B, E);
    await store.refresh();
    expect(await store.getAncestry(B, ALPHA)).toStrictEqual([A, B]);
  });

  it('creates nothing where there is no root', async () => {
    const dir = tempRoot();
    await using store = new DiskSessionStore({ rootDir: dir });
    expect(await store.refresh()).toBeUndefined();
    await expect(readFile(dir)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('trustIndex', () => {
  it('spares the look, but not the first one, and not refresh', async () => {
    const { dir, hand } = await known();
    await hand.edge(P, A, B, E);
    await using store = new DiskSessionStore({ rootDir: dir, trustIndex: true });
    expect(await store.getAncestry(B, ALPHA)).toStrictEqual([B]);
    await store.refresh();
    expect(await store.getAncestry(B, ALPHA)).toStrictEqual([A, B]);
    const fresh = new HandWrittenRoot(tempRoot());
    await mkdir(fresh.dir, { recursive: true });
    await fresh.project(P);
    await fresh.session(P, A);
    await fresh.session(P, B);
    await fresh.edge(P, A, B, E);
    await using first = new DiskSessionStore({ rootDir: fresh.dir, trustIndex: true });
    expect(await first.getAncestry(B, ALPHA)).toStrictEqual([A, B]);
  });

  it.each([null, 'true', 1, {}])('%j is refused when the store is made', async (bad) => {
    const open = () => new DiskSessionStore({ rootDir: tempRoot(), trustIndex: bad as never });
    expect(open).toThrow(InvalidArgumentError);
    expect(open).toThrow(/trustIndex/);
  });
});
