import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  verify,
  WorkspaceBackendRegistry,
  type WorkspaceRef,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { diskWorld } from '../support/disk-world.js';
import { messagesFile } from '../support/paths.js';
import { copyOfRecords } from '../support/temp-root.js';
import { ALPHA, userOf } from '../support/world.js';
import { filesWith, journalIsEmpty, trashOf } from './engine-files.js';

const MARKER = 'm4Rk-nowhere-else';
const said = (content: string) => ({ role: 'user', content }) as const;

/** A root whose session has a torn last line with the marker in it, and one more as a neighbour. */
async function tornRoot() {
  const { world, root } = await diskWorld();
  const [session, neighbour] = [await world.session(), await world.session()];
  await world.store.appendMessage(session.id, said('whole'), ALPHA);
  await world.store.appendMessage(neighbour.id, said('whole'), ALPHA);
  const copy = copyOfRecords(root);
  appendFileSync(join(copy, messagesFile(session)), `{"id":"msg_torn","text":"${MARKER}`);
  appendFileSync(join(copy, messagesFile(neighbour)), '{"id":"msg_torn","text":"kept');
  const store = new DiskSessionStore({ rootDir: copy });
  return { root: copy, store, session, neighbour };
}

describe('deleting a session', () => {
  it('removes what was salvaged of its log, and nothing that was salvaged of others', async () => {
    const { root, store, session, neighbour } = await tornRoot();
    await store.appendMessage(session.id, said('next'), ALPHA);
    await store.appendMessage(neighbour.id, said('next'), ALPHA);
    const [fragment] = filesWith(root, MARKER).filter((name) => name.includes('salvage'));
    expect(fragment).toContain(`.store/salvage/${session.id}.`);
    await store.deleteSession(session.id, ALPHA);
    await store.close();
    expect(filesWith(root, MARKER)).toStrictEqual([]);
    expect(filesWith(join(root, '.store/salvage'), 'kept')).toHaveLength(1);
  });

  it('removes versions of its records that a recovery salvaged, and those of its edges', async () => {
    const { world, root } = await diskWorld();
    const store = world.store as DiskSessionStore;
    const [session, neighbour] = [await world.session(), await world.session()];
    const edge = await store.createSubSession(
      {
        parentSessionId: neighbour.id,
        childSessionId: session.id,
        kind: 'agent_spawn',
        spawnedBy: userOf(ALPHA),
      },
      ALPHA,
    );
    const salvage = join(root, '.store/salvage');
    mkdirSync(salvage, { recursive: true });
    const salvaged = (name: string) => writeFileSync(join(salvage, name), MARKER);
    salvaged(`${edge.id}.subsession.json.0a1b2c3d`);
    salvaged(`${session.id}.session.json.0a1b2c3d`);
    salvaged(`${session.id}.messages.jsonl.0a1b2c3d`);
    salvaged(`intents.${session.id}.json.0a1b2c3d`);
    salvaged(`${neighbour.id}.session.json.0a1b2c3d`);
    const findings = await verify(root);
    const words = findings.filter(({ kind }) => kind === 'salvaged').map(({ detail }) => detail);
    expect(words.filter((word) => word.startsWith('a version of a record'))).toHaveLength(4);
    expect(words.filter((word) => word.startsWith('the end of a message log'))).toHaveLength(1);
    await store.deleteSubSession(edge.id, ALPHA);
    expect(filesWith(salvage, MARKER)).toHaveLength(4);
    await store.deleteSession(session.id, ALPHA);
    await store.close();
    const [left, ...others] = filesWith(salvage, MARKER);
    expect(left).toContain(neighbour.id);
    expect(others).toStrictEqual([]);
  });

  it('removes a torn line that nothing was appended to', async () => {
    const { root, store, session } = await tornRoot();
    await store.deleteSession(session.id, ALPHA);
    await store.close();
    expect(filesWith(root, MARKER)).toStrictEqual([]);
  });

  it('keeps what was salvaged when it is refused', async () => {
    const { root, store, session, neighbour } = await tornRoot();
    await store.appendMessage(session.id, said('next'), ALPHA);
    await store.createSubSession(
      {
        parentSessionId: neighbour.id,
        childSessionId: session.id,
        kind: 'agent_spawn',
        spawnedBy: userOf(ALPHA),
      },
      ALPHA,
    );
    await expect(store.deleteSession(session.id, ALPHA)).rejects.toThrow('attached sub-sessions');
    await store.close();
    expect(filesWith(join(root, '.store/salvage'), MARKER)).toHaveLength(1);
  });

  it('removes what a replacement left of the earlier messages, and the idempotency keys', async () => {
    const { world, root } = await diskWorld();
    const store = world.store as DiskSessionStore;
    const session = await world.session();
    await store.appendMessage(session.id, said(MARKER), ALPHA, { idempotencyKey: MARKER });
    await store.replaceMessages(session.id, [said('short')], ALPHA);
    expect(filesWith(join(root, 'projects'), MARKER)).toHaveLength(1);
    await store.deleteSession(session.id, ALPHA);
    await store.close();
    expect(filesWith(root, MARKER)).toStrictEqual([]);
  });

  it('removes what the application keeps in its `runs/`', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    const runs = join(root, messagesFile(session), '..', 'runs', 'run_1');
    mkdirSync(runs, { recursive: true });
    writeFileSync(join(runs, 'run.json'), MARKER);
    await world.store.deleteSession(session.id, ALPHA);
    await (world.store as DiskSessionStore).close();
    expect(filesWith(root, MARKER)).toStrictEqual([]);
  });
});

describe.each([false, true])('an archived session (evicted: %s)', (evict) => {
  it('is in no file once it, its edge and its bundle are deleted', async () => {
    const { world, root } = await diskWorld();
    const store = world.store as DiskSessionStore;
    const backend = new DiskArchiveBackend({ rootDir: root });
    const [parent, child] = [await world.session(), await world.session()];
    await store.appendMessage(child.id, said(MARKER), ALPHA);
    await store.recordSummary(world.summary(child, { agentSummary: MARKER }), ALPHA);
    const workspace: WorkspaceRef = {
      id: `wsp_${MARKER}`,
      meta: { backend: 'git-worktree', repoRoot: '/r', branch: MARKER, worktreePath: MARKER },
      createdAt: new Date(),
    };
    const edge = await world.change(await world.edge(parent, child), {
      status: 'idle',
      workspaceId: workspace.id,
      broadcastGroupId: MARKER,
    });
    const manager = new ArchivalManager({
      sessionStore: store,
      workspaceRegistry: new WorkspaceBackendRegistry(),
      archiveBackend: backend,
      workspaceResolver: async () => workspace,
    });
    const { archiveRef } = await manager.archive(edge.id, ALPHA, { evict });
    expect(filesWith(join(root, 'archive'), MARKER).length).toBeGreaterThan(2);
    // The edge of an evicted session is its way back: it cannot be deleted before.
    if (evict) await manager.restoreSession(child.id, ALPHA);
    await store.deleteSubSession(edge.id, ALPHA);
    await store.deleteSession(child.id, ALPHA);
    await store.close();
    expect(filesWith(root, MARKER).every((name) => name.startsWith('archive/'))).toBe(true);

    await backend.remove(archiveRef);
    expect(filesWith(root, MARKER)).toStrictEqual([]);
    expect(filesWith(root, archiveRef)).toStrictEqual([]);
    await backend.remove(archiveRef);
    await expect(backend.restore(archiveRef)).rejects.toMatchObject({
      name: 'ArchiveNotFoundError',
      details: { reason: 'missing' },
    });
    expect(journalIsEmpty(root)).toBe(true);
    expect(trashOf(root)).toStrictEqual([]);
  });
});

describe('removing a bundle', () => {
  it('leaves the others, and whatever a name that is none could reach', async () => {
    const { world, root } = await diskWorld();
    const backend = new DiskArchiveBackend({ rootDir: root });
    const session = await world.session();
    const input = {
      subSessionId: 'sub_a' as const,
      sessionId: session.id,
      tenantId: ALPHA,
      messages: [],
    };
    const [kept, removed] = [await backend.store(input), await backend.store(input)];
    await backend.remove(removed.archiveRef);
    for (const ref of ['', '..', 'arc_', 'arc_/..', `../archive/${kept.archiveRef}`, 'arc_none']) {
      await backend.remove(ref as 'arc_');
    }
    expect(await backend.verify()).toStrictEqual([
      { archiveRef: kept.archiveRef, state: 'complete' },
    ]);
    expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
  });
});
