import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProjectId, SessionId, SubSessionId } from 'namzu-native';
import { AttachedSubSessionsError, DiskSessionStore } from 'namzu-native';
import { expect, it } from 'vitest';
import { generatedRoot } from '../engine/generated-root.js';
import { HandWrittenRoot } from '../support/hand-written.js';
import { sessionFile, subSessionFile } from '../support/paths.js';
import { rejectionOf } from '../support/rejection.js';
import { ALPHA } from '../support/world.js';

/** 10,000 in the full tier. */
const SESSIONS = Number(process.env.NAMZU_FOREIGN_SESSIONS ?? 1000);
const CHANGED = SESSIONS / 250;

const numbered = <P extends string>(prefix: P, i: number): `${P}_${string}` =>
  `${prefix}_${`${i}`.padStart(6, '0')}`;
const ses = (i: number): SessionId => numbered('ses', i);
const sub = (i: number): SubSessionId => numbered('sub', i);

it('is seen by readers that come before the look is over', { timeout: 120_000 }, async () => {
  const { dir, projects } = await generatedRoot(SESSIONS);
  const projectOf = (i: number) => projects[i % projects.length] as ProjectId;
  const edgeFile = (i: number, parent = i - (i % 10)) =>
    join(dir, subSessionFile({ id: ses(parent), projectId: projectOf(parent) }, { id: sub(i) }));
  {
    await using store = new DiskSessionStore({ rootDir: dir });
    await store.refresh();
    await store.appendMessage(ses(0), { role: 'user', content: 'kept' }, ALPHA);
  }

  // Families of ten: the first is the parent of the others. Each family has one change.
  const hand = new HandWrittenRoot(dir);
  const families = Array.from({ length: CHANGED }, (_, n) => 10 * (1 + n * 20));
  for (const i of families) {
    // The first gets a parent, which was no one’s child or parent of it before.
    await hand.edge(projectOf(i + 100), ses(i + 100), ses(i), numbered('sub', 500_000 + i));
    // The edge to the third leads to the first of another family instead, in its place.
    const led = edgeFile(i + 3);
    await writeFile(led, (await readFile(led, 'utf8')).replace(ses(i + 3), ses(i + 50)));
    // The edge to the fourth is taken away, the fifth is moved to another project.
    await rm(dirname(edgeFile(i + 4)), { recursive: true });
    const at = (project: ProjectId) =>
      join(dir, dirname(sessionFile({ id: ses(i + 5), projectId: project })));
    const record = join(at(projectOf(i + 5)), 'session.json');
    const moved = { ...JSON.parse(await readFile(record, 'utf8')), projectId: projectOf(i + 6) };
    await writeFile(record, JSON.stringify(moved, null, 2));
    await rename(at(projectOf(i + 5)), at(projectOf(i + 6)));
  }

  await using store = new DiskSessionStore({ rootDir: dir });
  await Promise.all(
    families.map(async (i) => {
      const line = (id: SessionId) => store.getAncestry(id, ALPHA);
      const [first, third, other, fourth, fifth, eighth, kept, deleted] = await Promise.all([
        line(ses(i)),
        line(ses(i + 3)),
        line(ses(i + 50)),
        line(ses(i + 4)),
        store.getSession(ses(i + 5), ALPHA),
        line(ses(i + 8)),
        rejectionOf(store.deleteSession(ses(i + 50), ALPHA), AttachedSubSessionsError),
        store.deleteSession(ses(i + 4), ALPHA),
      ]);
      expect(first).toStrictEqual([ses(i + 100), ses(i)]);
      expect(third).toStrictEqual([ses(i + 3)]);
      expect(other).toStrictEqual([ses(i + 100), ses(i), ses(i + 50)]);
      expect([[ses(i + 4)], []]).toContainEqual(fourth);
      expect(fifth).toMatchObject({ id: ses(i + 5), projectId: projectOf(i + 6) });
      expect(eighth).toStrictEqual([ses(i + 100), ses(i), ses(i + 8)]);
      expect(kept).toBeInstanceOf(AttachedSubSessionsError);
      expect(deleted).toBeUndefined();
    }),
  );
  for (const i of families) {
    expect(await store.getSession(ses(i + 3), ALPHA)).not.toBeNull();
    expect(await store.getSession(ses(i + 4), ALPHA)).toBeNull();
  }
});
