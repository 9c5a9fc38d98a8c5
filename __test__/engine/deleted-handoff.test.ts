import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DiskSessionStore, type HandoffAssignment, recoverHandoffs } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { FakeDriver, RecordingSink } from '../handoff/fixtures.js';
import { deadAmidWorktree, halfway, intentFile, orphan } from '../handoff/interrupted.js';
import { leftovers, site } from '../handoff/processes.js';
import { filesWith, journalIsEmpty } from './engine-files.js';

const MARKER = 'w8Tn-said-in-the-handoff';
const marked = {
  sourceActor: { kind: 'user', userId: `usr_${MARKER}`, tenantId: 'tnt_a' },
  recipientActor: { kind: 'agent', agentId: `agt_${MARKER}`, tenantId: 'tnt_a' },
  broadcastId: MARKER,
  note: MARKER,
} as unknown as Partial<HandoffAssignment>;

describe('deleting the source of a handoff', () => {
  it('whose process has ended removes its intent', async () => {
    const there = await site();
    const { running, goOn } = await halfway(there, new FakeDriver(), marked);
    running.catch(() => {});
    orphan(there, []);
    expect(filesWith(there.rootDir, MARKER)).not.toStrictEqual([]);
    await there.store.deleteSession(there.source, there.tenant);
    await there.store.close();
    expect(filesWith(there.rootDir, MARKER)).toStrictEqual([]);
    expect(filesWith(there.rootDir, there.source)).toStrictEqual(['.store/index']);
    expect(journalIsEmpty(there.rootDir)).toBe(true);
    goOn();
  });

  it('leaves of its intent what it takes to remove its worktrees', async () => {
    const there = await site();
    const { intent, goOn } = await deadAmidWorktree(there, marked);
    await there.store.deleteSession(there.source, there.tenant);
    await there.store.close();
    expect(filesWith(there.rootDir, MARKER)).toStrictEqual([]);
    expect(JSON.parse(readFileSync(intentFile(there), 'utf8'))).toStrictEqual({
      ...intent,
      assignments: [{ id: intent.assignments[0].id }],
      workspaces: JSON.parse(JSON.stringify(intent.workspaces)),
    });
    expect(leftovers(there)).toMatchObject({ worktrees: 1, branches: 1 });

    const [store, events] = [new DiskSessionStore(there), new RecordingSink()];
    const deps = { ...there.deps, store, events };
    expect(await recoverHandoffs(deps, 'tnt_another')).toStrictEqual([]);
    expect(await recoverHandoffs(deps, there.tenant)).toStrictEqual([
      { sourceSessionId: there.source, mode: 'single', handoffIds: [intent.assignments[0].id] },
    ]);
    expect(leftovers(there)).toStrictEqual({ worktrees: 0, branches: 0, intents: [] });
    expect(events.names).toStrictEqual([]); // there is no session to tell of
    expect(await store.getSession(there.source, there.tenant)).toBeNull();
    goOn();
  });

  it('that is running lets it undo itself', async () => {
    const there = await site();
    const driver = new FakeDriver();
    const { running, goOn } = await halfway(there, driver, marked);
    await there.store.deleteSession(there.source, there.tenant);
    expect(filesWith(`${there.rootDir}/.store/intents`, MARKER)).toStrictEqual([]);
    goOn();
    await expect(running).rejects.toThrow('not found');
    expect(driver.live.size).toBe(0);
    expect(leftovers(there).intents).toStrictEqual([]);
    await there.store.close();
    expect(filesWith(there.rootDir, MARKER)).toStrictEqual([]);
  });

  it('rejects while nobody can say what its intent was to remove', async () => {
    const there = await site();
    const { running, goOn } = await halfway(there);
    running.catch(() => {});
    writeFileSync(intentFile(there), '{');
    await expect(there.store.deleteSession(there.source, there.tenant)).rejects.toMatchObject({
      name: 'CorruptRecordError',
      details: { path: `.store/intents/${there.source}.json` },
    });
    expect(await there.store.getSession(there.source, there.tenant)).not.toBeNull();
    expect(existsSync(intentFile(there))).toBe(true);
    goOn();
  });
});
