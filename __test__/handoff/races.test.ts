/** Many handoffs of one session at once: one wins, and nothing is left of the others. */

import {
  executeBroadcastHandoff,
  executeSingleHandoff,
  GitWorktreeDriver,
  InMemorySessionStore,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { broadcast, makeStore, scene, single } from './fixtures';
import { Child, git, leftovers, sharesRoots, silent, site } from './processes';

const KINDS = ['singles', 'broadcasts', 'a mixture'] as const;

function start(kind: (typeof KINDS)[number], n: number, s: Awaited<ReturnType<typeof scene>>) {
  const asBroadcast = kind === 'broadcasts' || (kind === 'a mixture' && n % 2 === 1);
  return asBroadcast
    ? executeBroadcastHandoff(s.deps, broadcast(s, 2), s.tenant)
    : executeSingleHandoff(s.deps, single(s), s.tenant);
}

describe.each(['memory', 'disk'] as const)('64 handoffs at once over a %s store', (kind) => {
  it.each(KINDS)('%s: one wins, 63 are refused', async (handoffs) => {
    const s = await scene(makeStore(kind));
    const running = Array.from({ length: 64 }, (_, n) => start(handoffs, n, s));
    const settled = await Promise.allSettled(running);
    const won = settled.filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const outcome of settled) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason.name).toMatch(/^(HandoffLockRejected|HandoffVersionConflict)$/);
    }
    const children = await s.store.getChildren(s.source.id, s.tenant);
    expect(s.driver.live.size).toBe(children.length);
    expect(s.driver.labels).toHaveLength(children.length);
    expect(s.sink.names).toEqual(['locked', 'committed']);
    const after = await s.store.getSession(s.source.id, s.tenant);
    expect(after?.ownerVersion).toBe(1);
  });
});

it('one after the other, each at the version of the one before, all win', async () => {
  const s = await scene(new InMemorySessionStore());
  for (let n = 0; n < 20; n++) {
    await executeSingleHandoff(s.deps, single(s, { expectedOwnerVersion: n }), s.tenant);
  }
  expect(await s.store.getChildren(s.source.id, s.tenant)).toHaveLength(20);
});

it('with real git, the winner alone has a worktree and a branch', async () => {
  const there = await site();
  const s = {
    ...there,
    project: { id: there.project },
    source: { id: there.source },
  } as unknown as Awaited<ReturnType<typeof scene>>;
  const settled = await Promise.allSettled(
    Array.from({ length: 64 }, (_, n) => start('singles', n, s)),
  );
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(leftovers(there)).toEqual({ worktrees: 1, branches: 1, intents: [] });
});

it('with real git, a broadcast that fails leaves no worktree and no branch', async () => {
  const there = await site();
  const s = {
    ...there,
    project: { id: there.project },
    source: { id: there.source },
  } as unknown as Awaited<ReturnType<typeof scene>>;
  const rows = broadcast(s, 3);
  const taken = `namzu/broadcast-${rows[2]?.id}`;
  git(there.repoRoot, 'branch', taken);
  await expect(executeBroadcastHandoff(there.deps, rows, there.tenant)).rejects.toMatchObject({
    name: 'WorkspaceBackendError',
  });
  expect(leftovers(there)).toEqual({ worktrees: 0, branches: 1, intents: [] });
  git(there.repoRoot, 'branch', '-D', taken);
  await executeBroadcastHandoff(there.deps, rows, there.tenant);
  expect(leftovers(there)).toEqual({ worktrees: 3, branches: 3, intents: [] });
});

it('a broadcast to 8 over a driver with an injected execFile runs git once for each', async () => {
  const s = await scene(makeStore('disk'));
  const calls: (readonly string[])[] = [];
  const driver = new GitWorktreeDriver({
    repoRoot: '/no/such/repository',
    logger: silent,
    execFile: async (_file, args) => {
      calls.push(args);
      return { stdout: '', stderr: '' };
    },
  });
  const deps = { ...s.deps, workspaceRegistry: { get: () => driver } };
  const outcomes = await executeBroadcastHandoff(deps, broadcast(s, 8), s.tenant);
  expect(outcomes).toHaveLength(8);
  expect(calls.map((args) => args.slice(2, 5))).toEqual(Array(8).fill(['worktree', 'add', '-b']));
});

describe.runIf(await sharesRoots())('8 processes with 8 handoffs each', () => {
  it('one wins, 63 are refused', { timeout: 120_000 }, async () => {
    const there = await site();
    const input = { ...there.ids, handoffs: 8 };
    const children = Array.from({ length: 8 }, () => new Child('race', input));
    await Promise.all(children.map((child) => child.ready()));
    const answers = await Promise.all(
      children.map((child) => child.answer<{ names: string[]; others: string[] }>()),
    );
    expect(answers.flatMap(({ others }) => others)).toEqual([]);
    const names = answers.flatMap((answer) => answer.names);
    expect(names.filter((name) => name === 'won')).toHaveLength(1);
    expect(names).toHaveLength(64);
    const edges = await there.store.getChildren(there.source, there.tenant);
    const count = edges.length;
    expect(leftovers(there)).toEqual({ worktrees: count, branches: count, intents: [] });
  });
});
