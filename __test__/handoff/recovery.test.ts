/** What is left of a handoff whose process was killed, and how it is undone. */

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  InMemorySessionStore,
  type RecoveredHandoff,
  recoverHandoffs,
  type SessionId,
} from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { seeded } from '../processes/support/seed';
import { makeStore, RecordingSink, scene } from './fixtures';
import { deadAmidWorktree, halfway, intentFile, orphan } from './interrupted';
import { Child, leftovers, type Site, sharesRoots, site } from './processes';

const shared = await sharesRoots();

/** The site is as if no handoff had ever been interrupted. */
async function expectWhole(there: Site, at: string) {
  const session = await there.store.getSession(there.source, there.tenant);
  expect(['idle', 'awaiting_merge'], at).toContain(session?.status);
  const edges = await there.store.getChildren(there.source, there.tenant);
  const count = edges.length;
  expect(leftovers(there), at).toEqual({ worktrees: count, branches: count, intents: [] });
  for (const edge of edges) {
    const recipient = await there.store.getSession(edge.childSessionId, there.tenant);
    expect(recipient?.workspaceId, at).toBe(edge.workspaceId);
  }
  expect(session?.ownerVersion, at).toBeLessThanOrEqual(count);
  return count;
}

describe('a process that is killed while it hands off in a loop', () => {
  const rounds = 50;
  it.runIf(shared)(`is recovered from, ${rounds} times`, { timeout: 600_000 }, async () => {
    const { random } = seeded('killed while it hands off');
    let recovered = 0;
    for (let round = 0; round < rounds; round++) {
      const there = await site();
      const child = await new Child('loop', there.ids).ready();
      const moment = random.next() * 120;
      await sleep(moment);
      await child.kill();
      const at = `round ${round}, killed after ${moment} ms`;
      recovered += (await recoverHandoffs(there.deps, there.tenant)).length;
      await expectWhole(there, at);
      expect(await recoverHandoffs(there.deps, there.tenant), at).toEqual([]);
    }
    // Nearly every moment is in the middle of a handoff.
    expect(recovered).toBeGreaterThan(0);
  });

  it.runIf(shared)('is recovered from by two processes at once', { timeout: 120_000 }, async () => {
    const { random } = seeded('recovered from by two at once');
    for (let round = 0; round < 5; round++) {
      const there = await site();
      const child = await new Child('loop', there.ids).ready();
      await sleep(20 + random.next() * 60);
      await child.kill();
      const recoveries = [new Child('recover', there.ids), new Child('recover', there.ids)];
      await Promise.all(recoveries.map((recovery) => recovery.ready()));
      const answers = await Promise.all(
        recoveries.map((recovery) => recovery.answer<RecoveredHandoff[]>()),
      );
      expect(answers.flat().length).toBeLessThanOrEqual(1);
      await recoverHandoffs(there.deps, there.tenant);
      await expectWhole(there, `round ${round}`);
    }
  });
});

describe('a handoff that is running', () => {
  it('says so in its intent', async () => {
    const there = await site();
    const { running, goOn } = await halfway(there);
    expect(JSON.parse(readFileSync(intentFile(there), 'utf8'))).toMatchObject({
      sourceSessionId: there.source,
      tenantId: there.tenant,
      mode: 'single',
      ownerVersion: 0,
      process: { pid: process.pid },
      assignments: [{ sourceSessionId: there.source, expectedOwnerVersion: 0 }],
    });
    goOn();
    await running;
    expect(leftovers(there).intents).toEqual([]);
  });

  it('is left alone, by its own process and by others', async () => {
    const there = await site();
    const { running, goOn } = await halfway(there);
    expect(await recoverHandoffs(there.deps, there.tenant)).toEqual([]);
    const other = await new Child('recover', there.ids).ready();
    expect(await other.answer()).toEqual([]);
    expect(await there.store.getSession(there.source, there.tenant)).toMatchObject({
      status: 'locked',
    });
    goOn();
    await running;
  });
});

describe('recoverHandoffs', () => {
  it('undoes a handoff of a process that has ended, of that tenant alone', async () => {
    const there = await site();
    const { running, goOn } = await halfway(there);
    const intent = orphan(there);
    const sink = new RecordingSink();
    const deps = { ...there.deps, events: sink };
    expect(await recoverHandoffs(deps, 'tnt_another')).toEqual([]);
    expect(await recoverHandoffs(deps, there.tenant)).toEqual([
      { sourceSessionId: there.source, mode: 'single', handoffIds: [intent.assignments[0].id] },
    ]);
    expect(sink.names).toEqual(['unlocked']);
    expect(await there.store.getSession(there.source, there.tenant)).toMatchObject({
      status: 'idle',
      ownerVersion: 0,
    });
    // Whoever still believes to hold the lock finds out when it wants to commit.
    goOn();
    await expect(running).rejects.toMatchObject({ name: 'HandoffLockRejected' });
    expect(await there.store.getChildren(there.source, there.tenant)).toEqual([]);
  });

  it('removes the worktree and the branch, half made as they may be', async () => {
    const there = await site();
    const { planned, goOn } = await deadAmidWorktree(there);
    expect(planned).toBe(0); // a driver that was laid hands on plans nothing
    expect(leftovers(there)).toMatchObject({ worktrees: 1, branches: 1 });
    expect(await recoverHandoffs(there.deps, there.tenant)).toHaveLength(1);
    expect(leftovers(there)).toEqual({ worktrees: 0, branches: 0, intents: [] });
    goOn();
  });

  it('keeps the intent when a workspace cannot be removed, and succeeds later', async () => {
    const there = await site();
    const { running, goOn } = await halfway(there);
    running.catch(() => {});
    orphan(there, [
      { id: 'wsp_1', meta: { backend: 'container', name: 'c' }, createdAt: new Date() },
    ]);
    await expect(recoverHandoffs(there.deps, there.tenant)).rejects.toThrow('container');
    expect(leftovers(there).intents).toHaveLength(1);
    const dispose = vi.fn(async () => {});
    const workspaceRegistry = { get: () => ({ dispose }) as never };
    await recoverHandoffs({ ...there.deps, workspaceRegistry }, there.tenant);
    expect(dispose).toHaveBeenCalledWith({
      id: 'wsp_1',
      meta: { backend: 'container', name: 'c' },
      createdAt: expect.any(Date),
    });
    expect(leftovers(there).intents).toEqual([]);
    goOn();
  });

  it('leaves a source alone that something else locked', async () => {
    const there = await site();
    const session = await there.store.getSession(there.source, there.tenant);
    if (session === null) throw new Error('no session');
    await there.store.updateSession({ ...session, status: 'locked' }, there.tenant);
    expect(await recoverHandoffs(there.deps, there.tenant)).toEqual([]);
    expect(await there.store.getSession(there.source, there.tenant)).toMatchObject({
      status: 'locked',
    });
  });

  it('has nothing to do for other stores', async () => {
    const memory = await scene(new InMemorySessionStore());
    expect(await recoverHandoffs(memory.deps, memory.tenant)).toEqual([]);
    const js = await scene(makeStore('js'));
    expect(await recoverHandoffs(js.deps, js.tenant)).toEqual([]);
    await expect(recoverHandoffs(js.deps, '' as never)).rejects.toMatchObject({
      name: 'InvalidArgumentError',
    });
  });

  /** Terminates a worker thread as soon as one of its handoffs is halfway. */
  async function terminateAmid(there: Site, sources: readonly SessionId[]) {
    const worker = new Worker(fileURLToPath(new URL('./worker.mjs', import.meta.url)), {
      workerData: { ...there.ids, sources },
    });
    await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    expect(await recoverHandoffs(there.deps, there.tenant)).toEqual([]);
    await worker.terminate();
  }

  it('undoes the handoff of a worker thread that was terminated', async () => {
    const there = await site();
    await terminateAmid(there, [there.source]);
    await vi.waitFor(
      async () => expect(await recoverHandoffs(there.deps, there.tenant)).toHaveLength(1),
      { timeout: 10_000 },
    );
    await expectWhole(there, 'after the worker');
  });

  // Some end while the core calls into the thread, of which it then never heard again.
  it('undoes all of many handoffs, wherever each was when the thread ended', async () => {
    const there = await site();
    const { store, project, tenant } = there;
    for (let round = 0; round < 10; round += 1) {
      const sessions = Array.from({ length: 20 }, () =>
        store.createSession({ projectId: project, currentActor: null }, tenant),
      );
      const sources = (await Promise.all(sessions)).map(({ id }) => id);
      await terminateAmid(there, sources);
      await vi.waitFor(
        async () => {
          await recoverHandoffs(there.deps, tenant);
          expect(leftovers(there).intents, `round ${round}`).toEqual([]);
        },
        { timeout: 10_000 },
      );
      for (const id of sources) {
        expect(await store.getSession(id, tenant)).toMatchObject({ status: 'idle' });
      }
    }
  }, 120_000);
});
