import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MessageId, SessionId } from 'namzu-native';
import { DiskSessionStore, StoreClosedError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { nobody, nobodyCanRun, runChild } from '../support/child.js';
import { diskWorld } from '../support/disk-world.js';
import { rejectionOf } from '../support/rejection.js';
import { copyOfRecords, tempDir, tempRoot } from '../support/temp-root.js';
import { namesBelow } from '../support/tree.js';
import { ALPHA, World } from '../support/world.js';
import { journalIsEmpty, trashOf } from './engine-files.js';

const text = (content: string) => ({ role: 'user', content }) as const;

describe('closing a disk store', () => {
  it('finishes the writes that were started, in their order', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    const store = new DiskSessionStore({ rootDir: root });
    const writes: Promise<MessageId>[] = [];
    for (let i = 0; i < 300; i += 1) {
      writes.push(store.appendMessage(session.id, text(`${i}`), ALPHA));
    }
    await store.close();
    const ids = await Promise.all(writes);
    const stored = await world.store.loadSessionMessages(session.id, ALPHA);
    expect(stored.map(({ id }) => id)).toStrictEqual(ids);
    expect(stored.map(({ message }) => message.content)).toStrictEqual(ids.map((_, i) => `${i}`));
  });

  it('leaves nothing in the journal and nothing in the trash', async () => {
    const { world, root } = await diskWorld();
    const sessions = await world.sessions(20);
    for (const { id } of sessions) await world.store.appendMessage(id, text('x'), ALPHA);
    for (const { id } of sessions) await world.store.deleteSession(id, ALPHA);
    await new DiskSessionStore({ rootDir: root }).close();
    await (world.store as DiskSessionStore).close();
    expect(journalIsEmpty(root)).toBe(true);
    expect(trashOf(root)).toStrictEqual([]);
    expect((await namesBelow(root)).filter((name) => name.endsWith('.tmp'))).toStrictEqual([]);
  });

  it('has all of that done when any of several calls is answered', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    const store = world.store as DiskSessionStore;
    const writes = Array.from({ length: 40 }, (_, i) =>
      store.appendMessage(session.id, text(`${i}`.repeat(50_000)), ALPHA),
    );
    const first = store.close();
    await store.close();
    const copy = copyOfRecords(root);
    expect(journalIsEmpty(root)).toBe(true);
    const later = new DiskSessionStore({ rootDir: copy });
    expect(await later.loadMessages(session.id, ALPHA)).toHaveLength(writes.length);
    await Promise.all([first, ...writes]);
  });

  it('leaves other stores of the same root open', async () => {
    const { world, root } = await diskWorld();
    const closing = new DiskSessionStore({ rootDir: root });
    const staying = new DiskSessionStore({ rootDir: root });
    const session = await world.session();
    await closing.appendMessage(session.id, text('before'), ALPHA);
    const meanwhile = Array.from({ length: 50 }, (_, i) =>
      staying.appendMessage(session.id, text(`${i}`), ALPHA),
    );
    await closing.close();
    await Promise.all(meanwhile);
    await staying.appendMessage(session.id, text('after'), ALPHA);
    await rejectionOf(closing.getSession(session.id, ALPHA), StoreClosedError);
    for (const store of [staying, world.store, new DiskSessionStore({ rootDir: root })]) {
      const contents = (await store.loadMessages(session.id, ALPHA)).map(({ content }) => content);
      expect(contents.at(0)).toBe('before');
      expect(contents.at(-1)).toBe('after');
      expect(contents).toHaveLength(52);
    }
  });

  it('can be followed by a new store, again and again', async () => {
    const root = tempRoot();
    const ids: SessionId[] = [];
    for (let i = 0; i < 10; i += 1) {
      const store = new DiskSessionStore({ rootDir: root });
      const world = await World.in(store);
      ids.push((await world.session()).id);
      await store.close();
      expect(journalIsEmpty(root)).toBe(true);
    }
    const last = new DiskSessionStore({ rootDir: root });
    for (const id of ids) expect(await last.getSession(id, ALPHA)).toMatchObject({ id });
  });

  it.skipIf(process.platform !== 'linux')('lets go of every file of the root', async () => {
    const { world, root } = await diskWorld();
    const store = world.store as DiskSessionStore;
    await world.session();
    const files = (await openFiles(root)).filter((path) => path.includes('.store'));
    expect(files.length).toBeLessThanOrEqual(2); // beside the root's folder itself
    await store.close();
    expect(await openFiles(root)).toStrictEqual([]);
  });
});

describe('closing a disk store that wrote nothing', () => {
  it('makes neither the root nor a folder around it', async () => {
    const dir = tempDir();
    await new DiskSessionStore({ rootDir: join(dir, 'a', 'b', 'root') }).close();
    expect(await namesBelow(dir)).toStrictEqual([]);
  });

  it('does not make a root again that was removed', async () => {
    const { world, root } = await diskWorld();
    rmSync(dirname(root), { recursive: true });
    await (world.store as DiskSessionStore).close();
    expect(existsSync(dirname(root))).toBe(false);
  });

  it('leaves a root without an engine’s folder as it was, its times too', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    const copy = copyOfRecords(root);
    const [names, changed] = [await namesBelow(copy), statSync(copy, { bigint: true }).mtimeNs];
    const store = new DiskSessionStore({ rootDir: copy });
    expect(await store.drill(session.id, ALPHA)).not.toBeNull();
    await store.close();
    expect(await namesBelow(copy)).toStrictEqual(names);
    expect(statSync(copy, { bigint: true }).mtimeNs).toBe(changed);
  });

  it.skipIf(!nobodyCanRun())('succeeds where nothing may be written', async () => {
    const answer = await runChild('../engine/children/close-unwritable.mjs', [], nobody);
    expect(answer).toStrictEqual({ read: null, closed: true });
  });
});

describe('a change that is refused', () => {
  it('makes neither a root nor a folder around it', async () => {
    const dir = tempDir();
    const store = new DiskSessionStore({ rootDir: join(dir, 'a', 'b', 'root') });
    const session = store.createSession({ projectId: 'prj_none', currentActor: null }, ALPHA);
    await expect(session).rejects.toThrow('not found');
    expect(await namesBelow(dir)).toStrictEqual([]);
  });
});

async function openFiles(root: string): Promise<string[]> {
  const { readdir, readlink, realpath } = await import('node:fs/promises');
  const real = await realpath(root);
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((path) => path.startsWith(real));
}
