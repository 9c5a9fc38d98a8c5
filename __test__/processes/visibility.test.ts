import { DiskSessionStore, type Message, type SessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, present, UNKNOWN_SESSION, World } from '../support/world.js';
import { RemoteStore } from './support/remote-store.js';

/** One store writes, the others read: each in a process of its own, or the first reader in ours. */
interface Stores {
  readonly writer: World;
  readonly readers: readonly SessionStore[];
}

async function stores(): Promise<Stores> {
  const root = tempRoot();
  const [writer, other] = await Promise.all([RemoteStore.start(root), RemoteStore.start(root)]);
  const readers = [new DiskSessionStore({ rootDir: root }), other.store];
  // They have looked before anything was there, and so could remember that nothing is.
  for (const reader of readers) {
    expect(await reader.getAncestry(UNKNOWN_SESSION, ALPHA)).toStrictEqual([]);
  }
  return { writer: await World.in(writer.store), readers };
}

const say = (content: string): Message => ({ role: 'user', content });

describe('what one process wrote, the open stores of others answer at once', () => {
  it('projects and sessions, and each change of a session', async () => {
    const { writer, readers } = await stores();
    for (let i = 0; i < 10; i += 1) {
      let session = await writer.session();
      for (const reader of readers) {
        expect(await reader.getProject(writer.project.id, ALPHA)).toStrictEqual(writer.project);
        expect(await reader.getSession(session.id, ALPHA)).toStrictEqual(session);
        expect(await reader.getAncestry(session.id, ALPHA)).toStrictEqual([session.id]);
      }
      session = await writer.changeSession(session, { ownerVersion: 1, status: 'active' });
      for (const reader of readers) {
        expect(await reader.getSession(session.id, ALPHA)).toStrictEqual(session);
      }
      await writer.store.recordSummary(writer.summary(session), ALPHA);
      for (const reader of readers) {
        expect((await reader.getSummary(session.id, ALPHA))?.sessionRef).toBe(session.id);
        expect((await reader.getSession(session.id, ALPHA))?.status).toBe('idle');
      }
    }
  });

  it('messages', async () => {
    const { writer, readers } = await stores();
    const { id } = await writer.session();
    const written: Message[] = [];
    for (let i = 0; i < 30; i += 1) {
      written.push(say(`${i}`.padEnd(i * 97, '.')));
      await writer.store.appendMessage(id, present(written.at(-1)), ALPHA);
      for (const reader of readers) {
        expect(await reader.loadMessages(id, ALPHA)).toStrictEqual(written);
      }
    }
  });

  it('edges, from above, from below and in a view of both', async () => {
    const { writer, readers } = await stores();
    const root = await writer.session();
    let parent = root;
    const path = [root.id];
    for (let depth = 1; depth < 6; depth += 1) {
      const child = await writer.session();
      for (const reader of readers) await reader.getAncestry(child.id, ALPHA);
      const edge = await writer.edge(parent, child);
      path.push(child.id);
      for (const reader of readers) {
        expect(await reader.getChildren(parent.id, ALPHA)).toStrictEqual([edge]);
        expect(await reader.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
        expect(await reader.getAncestry(child.id, ALPHA)).toStrictEqual(path);
        const view = present(await reader.drill(child.id, ALPHA));
        expect(view.ancestry).toStrictEqual(path);
        expect(present(await reader.drill(parent.id, ALPHA)).children).toStrictEqual([edge]);
      }
      parent = child;
    }
  });

  it('an edge that was moved to another parent and another child', async () => {
    const { writer, readers } = await stores();
    const [a, b, c, d] = await writer.sessions(4);
    if (!a || !b || !c || !d) throw new Error('four sessions');
    const edge = await writer.edge(a, b);
    for (const reader of readers) {
      expect(await reader.getAncestry(b.id, ALPHA)).toStrictEqual([a.id, b.id]);
    }
    const moved = await writer.change(edge, { parentSessionId: c.id, childSessionId: d.id });
    for (const reader of readers) {
      expect(await reader.getChildren(a.id, ALPHA)).toStrictEqual([]);
      expect(await reader.getChildren(c.id, ALPHA)).toStrictEqual([moved]);
      expect(await reader.getAncestry(b.id, ALPHA)).toStrictEqual([b.id]);
      expect(await reader.getAncestry(d.id, ALPHA)).toStrictEqual([c.id, d.id]);
    }
  });

  it('deletions', async () => {
    const { writer, readers } = await stores();
    for (let i = 0; i < 10; i += 1) {
      const parent = await writer.session();
      const child = await writer.session();
      const edge = await writer.edge(parent, child);
      await writer.store.appendMessage(child.id, say('x'), ALPHA);
      for (const reader of readers) {
        expect(await reader.getAncestry(child.id, ALPHA)).toStrictEqual([parent.id, child.id]);
        expect(await reader.loadMessages(child.id, ALPHA)).toHaveLength(1);
      }
      await writer.store.deleteSubSession(edge.id, ALPHA);
      for (const reader of readers) {
        expect(await reader.getSubSession(edge.id, ALPHA)).toBeNull();
        expect(await reader.getChildren(parent.id, ALPHA)).toStrictEqual([]);
        expect(await reader.getAncestry(child.id, ALPHA)).toStrictEqual([child.id]);
      }
      await writer.store.deleteSession(child.id, ALPHA);
      for (const reader of readers) {
        expect(await reader.getSession(child.id, ALPHA)).toBeNull();
        expect(await reader.loadMessages(child.id, ALPHA)).toStrictEqual([]);
        expect(await reader.drill(child.id, ALPHA)).toBeNull();
      }
    }
  });

  it('whichever of them writes, in turns', async () => {
    const root = tempRoot();
    const remotes = await Promise.all(Array.from({ length: 3 }, () => RemoteStore.start(root)));
    const all: SessionStore[] = [
      ...remotes.map(({ store }) => store),
      new DiskSessionStore({ rootDir: root }),
    ];
    const world = await World.in(present(all[0]));
    const { id } = await world.session();
    for (let turn = 0; turn < 40; turn += 1) {
      const writer = present(all[turn % all.length]);
      const session = present(await writer.getSession(id, ALPHA));
      await writer.updateSession({ ...session, ownerVersion: turn + 1 }, ALPHA, turn);
      await writer.appendMessage(id, say(`${turn}`), ALPHA);
      for (const reader of all) {
        expect((await reader.getSession(id, ALPHA))?.ownerVersion).toBe(turn + 1);
        expect(await reader.loadMessages(id, ALPHA)).toHaveLength(turn + 1);
      }
    }
  });
});
