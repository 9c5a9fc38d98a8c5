import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { DiskArchiveBackend, SessionMessage, SubSessionTombstone } from 'namzu-native';
import { describe, expect, it, onTestFinished } from 'vitest';
import { said } from '../extensions/stores.js';
import { childScript } from '../support/child.js';
import { sessionDir } from '../support/paths.js';
import { ALPHA, present } from '../support/world.js';
import {
  type ArchiveWorld,
  archiveWorld,
  diskBackend,
  diskStore,
  managerOf,
} from './archive-world.js';

type Action = [what: 'sweep' | 'archive' | 'restore' | 'append', id: string, times: number];
interface Account {
  readonly done: readonly unknown[];
  readonly failed: readonly { readonly name: string; readonly details?: { reason?: string } }[];
}

/** Does several things at once, each in a process of its own; answers what came of each. */
async function together(root: string, actions: readonly Action[]): Promise<Account[]> {
  const ready = actions.map(async ([what, id, times]) => {
    const args = [childScript('retain.mjs'), root, ALPHA, `${times}`, what, id];
    const child: ChildProcess = spawn(process.execPath, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(present(child.stdout), 'data');
    return child;
  });
  const children = await Promise.all(ready);
  const answers = children.map((child) => text(present(child.stdout)));
  for (const child of children) child.stdin?.end();
  return (await Promise.all(answers)).map((answer) => JSON.parse(answer));
}

/** Why calls were refused. */
const reasons = (account: Account | undefined) =>
  new Set(account?.failed.map(({ name, details }) => `${name} ${details?.reason ?? ''}`.trim()));

/**
 * The messages of the child, which are in its log or in a complete bundle, and not in both.
 */
async function messagesOf(made: ArchiveWorld): Promise<readonly SessionMessage[]> {
  const { root, child, edge } = made;
  const [store, backend] = [diskStore(root), diskBackend(root)];
  const { status, archiveRef } = present(await store.getSubSession(edge.id, ALPHA));
  const dir = join(root, sessionDir(child));
  const evicted = existsSync(join(dir, 'evicted.json'));
  expect(evicted).toBe(status === 'archived');
  expect(existsSync(join(dir, 'messages.jsonl'))).toBe(!evicted);
  expect(existsSync(join(dir, 'summary.json'))).toBe(!evicted);
  if (!evicted) return store.loadSessionMessages(child.id, ALPHA);
  const { archiveRef: named } = JSON.parse(readFileSync(join(dir, 'evicted.json'), 'utf8'));
  expect(named).toBe(archiveRef);
  return (await backend.restore(present(archiveRef))).messages;
}

/** How every bundle stands. */
async function states({ root }: ArchiveWorld): Promise<string[]> {
  const backend = diskBackend(root) as DiskArchiveBackend;
  return (await backend.verify()).map(({ state }) => state);
}

describe('several processes', () => {
  it('sweep at once: each edge into one bundle, and no bundle without an edge', async () => {
    const made = await archiveWorld();
    const { root, store, world, parent, edge } = made;
    const ids = [edge.id];
    for (let n = 1; n < 120; n += 1) {
      const child = await world.session();
      await store.appendMessages(child.id, [said(`${n}`), said('x'.repeat(500))], ALPHA);
      const next = await world.change(await world.edge(parent, child), { status: 'idle' });
      ids.push(next.id);
    }
    const sweep: Action = ['sweep', world.project.id, 1];
    const accounts = await together(root, [sweep, sweep, sweep]);
    const archived = accounts.flatMap(({ done }) => done.flat() as SubSessionTombstone[]);
    expect(archived.map(({ subSessionId }) => subSessionId).sort()).toStrictEqual(ids.sort());
    for (const account of accounts) {
      const allowed = new Set(['SubSessionNotArchivableError already_archived']);
      expect(allowed).toStrictEqual(new Set([...allowed, ...reasons(account)]));
    }
    const refs = archived.map(({ archiveRef }) => archiveRef).sort();
    expect(readdirSync(join(root, 'archive')).sort()).toStrictEqual(refs);
    expect(new Set(await states(made))).toStrictEqual(new Set(['complete']));
    for (const { subSessionId, archiveRef } of archived) {
      const later = present(await store.getSubSession(subSessionId, ALPHA));
      expect([later.status, later.archiveRef]).toStrictEqual(['archived', archiveRef]);
    }
  }, 60_000);

  it('archive one edge at once: one bundle, whoever makes it', async () => {
    for (let round = 0; round < 3; round += 1) {
      const made = await archiveWorld();
      const before = await messagesOf(made);
      const archive: Action = ['archive', made.edge.id, 1];
      const accounts = await together(made.root, [archive, archive, archive]);
      expect(accounts.flatMap(({ done }) => done)).toHaveLength(1);
      const refused = accounts.flatMap((account) => [...reasons(account)]);
      expect(new Set(refused)).toStrictEqual(
        new Set(['SubSessionNotArchivableError already_archived']),
      );
      expect(await messagesOf(made)).toStrictEqual(before);
      expect(await states(made)).toStrictEqual(['complete']);
    }
  }, 60_000);

  it('archive while another appends: every message that was answered is there once', async () => {
    const made = await archiveWorld();
    const { root, edge, child } = made;
    for (let round = 0; round < 4; round += 1) {
      const before = await messagesOf(made);
      const [archived, appended] = await together(root, [
        ['archive', edge.id, 1],
        ['append', child.id, 300],
      ]);
      const ids = (await messagesOf(made)).map(({ id }) => id);
      expect(ids).toStrictEqual([...before.map(({ id }) => id), ...present(appended).done]);
      // An archiving that is overtaken again and again gives up.
      for (const reason of reasons(archived)) {
        expect(reason).toBe('SubSessionNotArchivableError not_idle');
      }
      for (const reason of reasons(appended)) expect(reason).toBe('SessionEvictedError');
      if (present(archived).done.length > 0) {
        await managerOf(diskStore(root), diskBackend(root)).restore(edge.id, ALPHA);
      }
    }
    expect(new Set(await states(made))).not.toContain('corrupt');
  }, 60_000);

  it('archive while another restores: the log is whole in one place', async () => {
    const made = await archiveWorld();
    const { root, store, manager, edge, child } = made;
    const batch = Array.from({ length: 3000 }, (_, n) => said(`${n} ${'x'.repeat(2000)}`));
    await store.appendMessages(child.id, batch, ALPHA);
    const before = await messagesOf(made);
    const accounts = await together(root, [
      ['archive', edge.id, 12],
      ['restore', edge.id, 12],
      ['restore', edge.id, 12],
    ]);
    expect(await messagesOf(made)).toStrictEqual(before);
    const known = /^(SubSessionNotArchivableError already_archived|SubSessionNotArchivedError .*)$/;
    for (const account of accounts) {
      for (const reason of reasons(account)) expect(reason).toMatch(known);
    }
    const { status } = present(await store.getSubSession(edge.id, ALPHA));
    if (status === 'archived') await manager.restore(edge.id, ALPHA);
    expect(await store.loadSessionMessages(child.id, ALPHA)).toStrictEqual(before);
    expect(new Set(await states(made))).not.toContain('corrupt');
  }, 60_000);
});
