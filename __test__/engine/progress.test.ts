import type { AdoptionProgress } from 'namzu-native';
import { DiskSessionStore, InvalidArgumentError } from 'namzu-native';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runChild } from '../support/child.js';
import { copyOfRecords, tempRoot } from '../support/temp-root.js';
import { ALPHA } from '../support/world.js';
import { answersOf, generatedRoot } from './generated-root.js';

const SESSIONS = 600;

async function adopted(use: (store: DiskSessionStore) => Promise<unknown>) {
  const { dir } = await generatedRoot(SESSIONS);
  const reports: AdoptionProgress[] = [];
  const store = new DiskSessionStore({
    rootDir: dir,
    onProgress: (progress) => reports.push(progress),
  });
  await use(store);
  await vi.waitFor(() => expect(reports.at(-1)?.done).toBe(SESSIONS));
  return { store, reports };
}

const change = (store: DiskSessionStore) =>
  store.createProject({ tenantId: ALPHA, name: 'x' }, ALPHA);

describe('onProgress', () => {
  it.each([
    [
      'by the first change that rests on it',
      (store: DiskSessionStore) => store.deleteSession('ses_000123', ALPHA).catch(() => undefined),
    ],
    ['by the first search', (store: DiskSessionStore) => store.getAncestry('ses_000123', ALPHA)],
  ])('is told how a root without an index is walked %s', async (_, use) => {
    const { reports } = await adopted(use);
    expect(reports[0]).toStrictEqual({ done: 0, total: SESSIONS, phase: 'survey' });
    expect(reports.at(-1)).toStrictEqual({ done: SESSIONS, total: SESSIONS, phase: 'survey' });
    expect(reports.length).toBeGreaterThan(2);
    for (const { done, total, phase } of reports) {
      expect([total, phase]).toStrictEqual([SESSIONS, 'survey']);
      expect(done).toBeLessThanOrEqual(total);
      expect(Number.isInteger(done)).toBe(true);
    }
  });

  it('is told once: one walk is enough for any number of searches and changes', async () => {
    const { store, reports } = await adopted((store) => store.getAncestry('ses_000123', ALPHA));
    for (let i = 0; i < 3; i += 1) {
      await store.drill('ses_000124', ALPHA);
      await change(store);
      await store.getAncestry('ses_000125', ALPHA);
    }
    // A report that is under way is there before the answer to a later call’s next turn.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reports.filter(({ done }) => done === 0)).toHaveLength(1);
  });

  it('is told nothing where the root was looked through before', async () => {
    const { dir } = await generatedRoot(SESSIONS);
    const first = new DiskSessionStore({ rootDir: dir });
    await first.refresh();
    await change(first);
    await first.close();
    const onProgress = vi.fn();
    const store = new DiskSessionStore({ rootDir: dir, onProgress });
    await store.getAncestry('ses_000123', ALPHA);
    await change(store);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(onProgress).not.toHaveBeenCalled();
  });

  it('does no harm by throwing', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    const root = await generatedRoot(SESSIONS);
    const quiet = new DiskSessionStore({ rootDir: root.dir });
    const expected = await answersOf(quiet, root);
    await quiet.close();
    const onProgress = vi.fn(() => {
      throw new Error('not our fault');
    });
    const store = new DiskSessionStore({ rootDir: copyOfRecords(root.dir), onProgress });
    await change(store);
    expect(await answersOf(store, root)).toStrictEqual(expected);
    await vi.waitFor(() => expect(onProgress).toHaveBeenCalled());
    expect(JSON.stringify(warned.mock.calls[0])).toContain('not our fault');
  });

  it('does no harm by answering a promise that rejects, or by using the store', async () => {
    const root = await generatedRoot(SESSIONS);
    const asked: Promise<unknown>[] = [];
    const store: DiskSessionStore = new DiskSessionStore({
      rootDir: root.dir,
      onProgress: () => asked.push(store.getSession('ses_000007', ALPHA)),
    });
    await store.refresh();
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(2));
    for (const session of await Promise.all(asked))
      expect(session).toMatchObject({ id: 'ses_000007' });
  });

  it('does not keep the process running', async () => {
    const { dir } = await generatedRoot(SESSIONS);
    const answer = await runChild('../engine/children/adopt.mjs', [dir]);
    expect(answer).toMatchObject({ name: 'adopted' });
  });

  it.each([null, 'text', 42, {}, [], true])('%j is refused when the store is made', (bad) => {
    const open = () => new DiskSessionStore({ rootDir: tempRoot(), onProgress: bad as never });
    expect(open).toThrow(InvalidArgumentError);
    expect(open).toThrow(/`onProgress`/);
  });

  it('may be undefined', async () => {
    const store = new DiskSessionStore({ rootDir: tempRoot(), onProgress: undefined as never });
    expect(await change(store)).toMatchObject({ name: 'x' });
  });
});
