import { symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DiskSessionStore, StaleSessionError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-root.js';
import { ALPHA, present, World } from '../support/world.js';

/** Ways to spell one root, each given the directory that the root is in. */
const SPELLINGS: readonly [string, (dir: string) => string][] = [
  ['the same text', (dir) => join(dir, 'root')],
  ['a slash at the end', (dir) => `${dir}/root/`],
  ['a detour', (dir) => `${dir}/./nowhere/../root`],
  ['a path relative to the working directory', (dir) => relative(process.cwd(), join(dir, 'root'))],
  [
    'a symbolic link',
    (dir) => {
      symlinkSync(join(dir, 'root'), join(dir, 'link'), 'junction');
      return join(dir, 'link');
    },
  ],
];

async function pair(spell: (dir: string) => string) {
  const dir = tempDir();
  const first = new DiskSessionStore({ rootDir: join(dir, 'root') });
  const world = await World.in(first);
  return { world, first, second: new DiskSessionStore({ rootDir: spell(dir) }) };
}

describe.each(SPELLINGS)('two stores on one root, the second by %s', (_, spell) => {
  it('see each other’s writes at once', async () => {
    const { world, first, second } = await pair(spell);
    expect(await second.getProject(world.project.id, ALPHA)).toStrictEqual(world.project);

    const session = await second.createSession(
      { projectId: world.project.id, currentActor: null },
      ALPHA,
    );
    expect(await first.getSession(session.id, ALPHA)).toStrictEqual(session);

    const edge = await world.edge(session, session);
    expect(await second.getChildren(session.id, ALPHA)).toStrictEqual([edge]);

    for (let i = 0; i < 10; i += 1) {
      const [writer, reader] = i % 2 === 0 ? [first, second] : [second, first];
      await writer.appendMessage(session.id, { role: 'user', content: `${i}` }, ALPHA);
      const messages = await reader.loadMessages(session.id, ALPHA);
      expect(messages).toHaveLength(i + 1);
      expect(messages.at(-1)?.content).toBe(`${i}`);
    }

    await second.deleteSubSession(edge.id, ALPHA);
    await first.deleteSession(session.id, ALPHA);
    expect(await second.getSession(session.id, ALPHA)).toBeNull();
    expect(await second.getAncestry(session.id, ALPHA)).toStrictEqual([]);
  });

  it('let exactly one of their compare-and-set updates win', async () => {
    const { world, first, second } = await pair(spell);
    const session = await world.session();
    for (let version = 0; version < 5; version += 1) {
      const settled = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 === 0 ? first : second).updateSession(
            { ...session, ownerVersion: version + 1 },
            ALPHA,
            version,
          ),
        ),
      );
      const losers = settled.filter((one) => one.status === 'rejected');
      expect(losers).toHaveLength(19);
      for (const { reason } of losers) expect(reason).toBeInstanceOf(StaleSessionError);
    }
    expect(present(await second.getSession(session.id, ALPHA)).ownerVersion).toBe(5);
  });

  it('lose no message and tear no line when both append', async () => {
    const { world, first, second } = await pair(spell);
    const { id } = await world.session();
    const content = 'x'.repeat(5_000);
    const ids = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (i % 2 === 0 ? first : second).appendMessage(id, { role: 'user', content }, ALPHA),
      ),
    );
    const stored = await first.loadSessionMessages(id, ALPHA);
    expect(stored.map((envelope) => envelope.id).sort()).toStrictEqual([...ids].sort());
  });
});

describe('stores on different roots', () => {
  it('know nothing of one another', async () => {
    const first = new DiskSessionStore({ rootDir: join(tempDir(), 'root') });
    const second = new DiskSessionStore({ rootDir: join(tempDir(), 'root') });
    const session = await (await World.in(first)).session();
    await World.in(second);
    expect(await second.getSession(session.id, ALPHA)).toBeNull();
  });
});
