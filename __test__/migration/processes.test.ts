import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultFilesystemMigrator, LOCK_REL_PATH } from 'namzu-native';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childScript, nobody, nobodyCanRun } from '../support/child.js';
import { tempRoot } from '../support/temp-root.js';
import { legacyRoot, MIGRATED, migrateInProcess, recordNames, THREADS, write } from './support.js';

function expectAllThere(root: string): void {
  for (const [after, before] of Object.entries(MIGRATED)) {
    expect(readFileSync(join(root, after), 'utf8'), after).toBe(THREADS[before]);
  }
}

async function migratedNames(): Promise<string[]> {
  const root = legacyRoot();
  await new DefaultFilesystemMigrator().migrate(root);
  return recordNames(root);
}

describe('processes that migrate one root at once', () => {
  it.each([2, 16])('%i of them: one does it', { timeout: 120_000 }, async (count) => {
    const root = legacyRoot();
    const answers = await Promise.all(Array.from({ length: count }, () => migrateInProcess(root)));
    const migrated = answers.filter(({ kind }) => kind === 'migrated');
    expect(migrated).toStrictEqual([{ kind: 'migrated', threads: 3 }]);
    for (const { kind, op, path } of answers) {
      if (kind === 'migrated' || kind === 'already_migrated') continue;
      expect({ op, path }).toStrictEqual({ op: 'acquire_lock', path: join(root, LOCK_REL_PATH) });
    }
    expectAllThere(root);
    expect(await recordNames(root)).toStrictEqual(await migratedNames());
  });

  it('go on where one was killed, whenever that was', { timeout: 120_000 }, async () => {
    const expected = await migratedNames();
    let killed = 0;
    for (let delay = 0; delay < 40; delay += 2) {
      const root = legacyRoot();
      const { signal } = await migrateInProcess(root, { killAfter: delay });
      killed += Number(signal === 'SIGKILL');
      const { kind } = await migrateInProcess(root);
      expect(kind, `after ${delay} ms`).toMatch(/^(already_)?migrated$/);
      expectAllThere(root);
      expect(await recordNames(root), `after ${delay} ms`).toStrictEqual(expected);
    }
    expect(killed).toBeGreaterThan(0);
  });
});

describe('a lock of another process', () => {
  async function holder(root: string, stay: boolean) {
    const args = [childScript('hold-migration-lock.mjs'), join(root, LOCK_REL_PATH)];
    const child = spawn(process.execPath, stay ? [...args, 'stay'] : args);
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const ended = new Promise((resolve) => child.once('close', resolve));
    return { child, ended };
  }

  it('is respected while that process lives, and taken over when it is gone', async () => {
    const root = legacyRoot();
    const { child, ended } = await holder(root, true);
    const failure = await migrateInProcess(root);
    expect(failure).toStrictEqual({
      op: 'acquire_lock',
      path: join(root, LOCK_REL_PATH),
      code: 'EEXIST',
    });
    expect(existsSync(join(root, 'projects'))).toBe(false);
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(join(root, LOCK_REL_PATH))).toBe(true);
    expect(await migrateInProcess(root)).toStrictEqual({ kind: 'migrated', threads: 3 });
    expectAllThere(root);
    expect(existsSync(join(root, LOCK_REL_PATH))).toBe(false);
  });

  it('is waited for: the marker may come', async () => {
    const root = legacyRoot();
    await holder(root, true);
    const migrated = new DefaultFilesystemMigrator().migrate(root);
    setTimeout(() => {
      write(
        root,
        '.migration/v0.2.0',
        '{"version":"0.2.0","at":"2026-01-02T03:04:05.006Z","migratedThreads":[]}',
      );
    }, 30);
    expect(await migrated).toMatchObject({
      kind: 'already_migrated',
      at: new Date('2026-01-02T03:04:05.006Z'),
    });
  });

  it('of the original is taken over after ten minutes', async () => {
    const root = legacyRoot();
    const lockSince = (minutes: number) => {
      const at = new Date(Date.now() - minutes * 60_000).toISOString();
      write(root, '.migration/v0.2.0.tmp', JSON.stringify({ at }));
    };
    lockSince(9);
    expect(await migrateInProcess(root)).toMatchObject({ op: 'acquire_lock' });
    lockSince(11);
    expect(await migrateInProcess(root)).toMatchObject({ kind: 'migrated' });
  });
});

describe.skipIf(!nobodyCanRun())('folders that may not be changed', () => {
  const cases: [string, string, (root: string) => string][] = [
    ['.', 'acquire_lock', (root) => join(root, LOCK_REL_PATH)],
    ['.migration', 'acquire_lock', (root) => join(root, LOCK_REL_PATH)],
    [
      'projects',
      'mkdir_session',
      (root) => join(root, 'projects/prj_legacy_empty/sessions/ses_legacy_default'),
    ],
    ['threads/thd_two', 'rename_runs', (root) => join(root, 'threads/thd_two/runs')],
    ['threads/thd_two/runs', 'rename_runs', (root) => join(root, 'threads/thd_two/runs')],
  ];

  it.each(cases)('%s: %s', async (folder, op, path) => {
    const root = openToAll(legacyRoot(), folder);
    const before = await recordNames(join(root, 'threads'));
    chmodSync(join(root, folder), 0o555);
    onTestFinished(() => {
      if (existsSync(join(root, folder))) chmodSync(join(root, folder), 0o777);
    });
    expect(await migrateInProcess(root, nobody)).toMatchObject({
      op,
      path: path(root),
      code: 'EACCES',
    });
    expect(await recordNames(join(root, 'threads'))).toStrictEqual(before);
    chmodSync(join(root, folder), 0o777);
    expect(await migrateInProcess(root, nobody)).toMatchObject({ kind: 'migrated' });
    expectAllThere(root);
  });

  it('threads/: enumerate_threads', async () => {
    const root = openToAll(legacyRoot(), 'threads');
    chmodSync(join(root, 'threads'), 0o300);
    onTestFinished(() => chmodSync(join(root, 'threads'), 0o777));
    expect(await migrateInProcess(root, nobody)).toMatchObject({
      op: 'enumerate_threads',
      path: join(root, 'threads'),
    });
  });

  /** Everything of a root, and the folder around it, may be changed by whoever comes. */
  function openToAll(root: string, folder: string): string {
    mkdirSync(join(root, folder), { recursive: true });
    const opened = spawnSync('chmod', ['-R', 'a+rwX', join(root, '..')]);
    expect(opened.status).toBe(0);
    return root;
  }
});

const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

describe.skipIf(!canMount)('file systems of their own', () => {
  /** Migrates a root whose `what` is a small one; it is copied to `copied` before that ends. */
  function migrateMounted(root: string, what: string, fill: string, copied: string): string {
    const script = childScript('migrate-mounted.sh');
    const args = [process.execPath, childScript('migrate.mjs'), root, what, fill, copied];
    const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', script, ...args]);
    expect(stderr.toString()).toBe('');
    return stdout.toString();
  }

  it('runs that have to go to another one are copied, compared and removed', () => {
    const [root, copied] = [legacyRoot(), tempRoot()];
    expect(migrateMounted(root, 'projects', '', copied)).toContain('"kind":"migrated"');
    expect(existsSync(join(root, 'threads/thd_one/runs'))).toBe(false);
    cpSync(copied, join(root, 'projects'), { recursive: true });
    expectAllThere(root);
  });

  it('a full disk is told, and the earlier layout is whole', async () => {
    const [root, copied] = [legacyRoot(), tempRoot()];
    const before = await recordNames(join(root, 'threads'));
    const failure = JSON.parse(migrateMounted(root, '.', 'fill', copied).split('\n')[1] ?? '');
    expect(failure).toMatchObject({ op: 'write_project_json', code: 'ENOSPC' });
    expect(await recordNames(join(copied, 'threads'))).toStrictEqual(before);
    expect(existsSync(join(copied, LOCK_REL_PATH))).toBe(false);
    expect(await migrateInProcess(copied)).toMatchObject({ kind: 'migrated' });
    expectAllThere(copied);
  });
});
