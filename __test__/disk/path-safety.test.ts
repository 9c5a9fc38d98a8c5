import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { HandWrittenRoot } from '../support/hand-written.js';
import { malformedIds } from '../support/malformed-ids.js';
import { tempDir } from '../support/temp-root.js';
import { bytesOf } from '../support/tree.js';
import { ALPHA, present, World } from '../support/world.js';

/** Ways up from where a project, a session or an edge is, to a decoy next to the root. */
const CLIMBS = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((steps) => {
  const up = '../'.repeat(steps);
  return [up, `x/${up}`, `${up}decoy`, `${up}decoy/projects/prj_d/sessions/ses_d`, `${up}kept`];
});

function ids<P extends string>(prefix: P): `${P}${string}`[] {
  const climbs = CLIMBS.flatMap((climb) => [`${prefix}${climb}`, climb]);
  return [...climbs, ...malformedIds(prefix)] as `${P}${string}`[];
}

describe('ids that try to leave the root', () => {
  it('reach nothing, neither by reading nor by writing nor by deleting', async () => {
    const dir = tempDir();
    const store = new DiskSessionStore({ rootDir: join(dir, 'kept') });
    const world = await World.in(store);
    const session = await world.session();
    const edge = await world.edge(session, session);
    const decoy = new HandWrittenRoot(join(dir, 'decoy'));
    await decoy.project('prj_d');
    await decoy.session('prj_d', 'ses_d');
    await decoy.edge('prj_d', 'ses_d', 'ses_d', 'sub_d');
    // Where prefix and climb are joined as text, `ses_x/..` needs such a directory to exist.
    mkdirSync(join(dir, 'kept', 'projects', world.project.id, 'sessions', 'ses_x'));
    const before = await bytesOf(dir, ['.']);

    const message = { role: 'user', content: 'escaped' } as const;
    for (const id of ids('ses_')) {
      expect(await store.getSession(id, ALPHA)).toBeNull();
      expect(await store.loadMessages(id, ALPHA)).toStrictEqual([]);
      expect(await store.getChildren(id, ALPHA)).toStrictEqual([]);
      await store.deleteSession(id, ALPHA);
      await Promise.allSettled([
        store.appendMessage(id, message, ALPHA),
        store.updateSession({ ...session, id }, ALPHA),
        store.recordSummary(world.summary({ ...session, id }), ALPHA),
        store.updateSubSession({ ...edge, parentSessionId: id }, ALPHA),
      ]);
    }
    for (const id of ids('sub_')) {
      expect(await store.getSubSession(id, ALPHA)).toBeNull();
      await store.deleteSubSession(id, ALPHA);
      await Promise.allSettled([store.updateSubSession({ ...edge, id }, ALPHA)]);
    }
    for (const id of ids('prj_')) {
      expect(await store.getProject(id, ALPHA)).toBeNull();
      const create = store.createSession({ projectId: id, currentActor: null }, ALPHA);
      await Promise.allSettled([create]);
    }

    const after = await bytesOf(dir, ['.']);
    const records = (tree: Map<string, string>) =>
      [...tree].filter(([name]) => !name.startsWith('./kept/.store'));
    expect(records(after)).toStrictEqual(records(before));
    expect(present(await store.getSession(session.id, ALPHA))).toStrictEqual(session);
  });
});
