import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  DefaultFilesystemMigrator,
  DiskSessionStore,
  FilesystemMigrationError,
  type FilesystemMigrationEvent,
  type FilesystemMigrationProgress,
  InvalidArgumentError,
  LEGACY_DEFAULT_SESSION_ID,
  LOCK_REL_PATH,
  MARKER_REL_PATH,
  NOOP_FILESYSTEM_MIGRATION_SINK,
  type ProjectId,
  readMarker,
  UNKNOWN_TENANT_ID,
} from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { fixtureIsAbsent, fixturePath } from '../support/fixtures.js';
import { rejectionOf } from '../support/rejection.js';
import { copyOfRecords, tempRoot } from '../support/temp-root.js';
import { bytesOf, readRecord } from '../support/tree.js';
import { legacyRoot, MIGRATED, recordNames, SESSION, THREADS } from './support.js';

const FIXTURE = 'roots/sdk-0.1.8';

describe.skipIf(fixtureIsAbsent(FIXTURE))('a root of the release 0.1.8', () => {
  it('migrates to what that release’s own migration leads to', async () => {
    const root = tempRoot();
    cpSync(fixturePath(`${FIXTURE}/root`), root, { recursive: true });
    const before = [...(await bytesOf(root, ['threads'])).values()].sort();
    const { result, tree } = JSON.parse(
      readFileSync(fixturePath(`${FIXTURE}/expected-after-migration.json`), 'utf8'),
    );
    const migrated = await new DefaultFilesystemMigrator().migrate(root);
    expect(migrated).toMatchObject(result);
    expect(await recordNames(root)).toStrictEqual([...tree].sort());
    const after = [...(await bytesOf(root, ['threads', 'projects']))]
      .filter(([name]) => !/(project|session)\.json$/.test(name))
      .map(([, bytes]) => bytes);
    expect(after.filter((bytes) => bytes !== '').sort()).toStrictEqual(
      before.filter((bytes) => bytes !== ''),
    );
  });
});

describe('a migration', () => {
  it('turns each thread into a project with a session, its runs with it', async () => {
    const root = legacyRoot();
    const migrated = await new DefaultFilesystemMigrator().migrate(root);
    expect(migrated).toStrictEqual({
      kind: 'migrated',
      migratedThreads: [
        { legacyThreadId: 'thd_empty', newProjectId: 'prj_legacy_empty' },
        { legacyThreadId: 'thd_one', newProjectId: 'prj_legacy_one' },
        { legacyThreadId: 'thd_two', newProjectId: 'prj_legacy_two' },
      ],
      markerPath: join(root, MARKER_REL_PATH),
      at: expect.any(Date),
    });
    for (const [after, before] of Object.entries(MIGRATED)) {
      expect(readFileSync(join(root, after), 'utf8'), after).toBe(THREADS[before]);
    }
    const at = migrated.at.toISOString();
    const project = readFileSync(join(root, 'projects/prj_legacy_one/project.json'), 'utf8');
    const expected = {
      id: 'prj_legacy_one',
      tenantId: 'tnt_unknown_legacy',
      name: 'legacy thd_one',
      config: { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 },
      createdAt: at,
      updatedAt: at,
      _legacy: true,
    };
    expect(project).toBe(JSON.stringify(expected, null, 2));
    const session = `projects/prj_legacy_one/${SESSION}/session.json`;
    expect(Object.keys(await readRecord(root, session)).at(-1)).toBe('_legacy');
    expect(await readMarker(migrated.markerPath)).toStrictEqual({
      version: '0.2.0',
      at: migrated.at,
      migratedThreads: migrated.migratedThreads,
    });
  });

  it('is known to a store that was open before, and to one that comes later', async () => {
    const root = legacyRoot();
    const before = new DiskSessionStore({ rootDir: root });
    const { id: project } = await before.createProject(
      { tenantId: UNKNOWN_TENANT_ID, name: 'x' },
      UNKNOWN_TENANT_ID,
    );
    await before.createSession({ projectId: project, currentActor: null }, UNKNOWN_TENANT_ID);
    await new DefaultFilesystemMigrator().migrate(root);
    const index = join(root, '.store/index');
    const known = readFileSync(index, 'utf8');
    for (const thread of ['one', 'two', 'empty']) expect(known).toContain(`prj_legacy_${thread}`);
    for (const store of [before, new DiskSessionStore({ rootDir: root })]) {
      for (const thread of ['one', 'two', 'empty']) {
        const id = `prj_legacy_${thread}` as ProjectId;
        expect(await store.getProject(id, UNKNOWN_TENANT_ID)).toMatchObject({
          name: `legacy thd_${thread}`,
        });
      }
      expect(await store.getSession(LEGACY_DEFAULT_SESSION_ID, UNKNOWN_TENANT_ID)).toMatchObject({
        projectId: 'prj_legacy_empty',
        status: 'idle',
        currentActor: null,
        ownerVersion: 0,
      });
    }
    const rebuilt = new DiskSessionStore({ rootDir: copyOfRecords(root) });
    expect(await rebuilt.getProject('prj_legacy_two', UNKNOWN_TENANT_ID)).not.toBeNull();
  });

  it('is done once', async () => {
    const root = legacyRoot();
    const first = await new DefaultFilesystemMigrator().migrate(root);
    const names = await recordNames(root);
    expect(await new DefaultFilesystemMigrator().migrate(root)).toStrictEqual({
      kind: 'already_migrated',
      migratedThreads: [],
      markerPath: first.markerPath,
      at: first.at,
    });
    expect(await recordNames(root)).toStrictEqual(names);
  });

  it('writes a marker alone where there is nothing to migrate', async () => {
    const root = tempRoot();
    const events: FilesystemMigrationEvent[] = [];
    const migrator = new DefaultFilesystemMigrator({ emit: (event) => events.push(event) });
    const { kind, migratedThreads, at } = await migrator.migrate(root);
    expect({ kind, migratedThreads }).toStrictEqual({
      kind: 'noop_no_legacy',
      migratedThreads: [],
    });
    expect(await recordNames(root)).toStrictEqual(['.migration/', '.migration/v0.2.0']);
    expect(await migrator.migrate(root)).toMatchObject({ kind: 'already_migrated', at });
    expect(events).toStrictEqual([]);
  });

  it('tells its sink before it gives the lock back', async () => {
    const root = legacyRoot();
    const seen: unknown[] = [];
    class Sink {
      #label = 'private';
      emit(event: FilesystemMigrationEvent) {
        seen.push([this.#label, event, existsSync(join(root, LOCK_REL_PATH))]);
      }
    }
    const result = await new DefaultFilesystemMigrator(new Sink()).migrate(root);
    expect(seen).toStrictEqual([['private', { type: 'filesystem.migrated', result }, true]]);
    expect(existsSync(join(root, LOCK_REL_PATH))).toBe(false);
  });

  it('hands on what its sink throws, and is done all the same', async () => {
    const root = legacyRoot();
    const thrown = { not: 'an error' };
    const emit = () => {
      throw thrown;
    };
    const caught = await new DefaultFilesystemMigrator({ emit }).migrate(root).catch((e) => e);
    expect(caught).toBe(thrown);
    expect(existsSync(join(root, LOCK_REL_PATH))).toBe(false);
    expect(await new DefaultFilesystemMigrator().migrate(root)).toMatchObject({
      kind: 'already_migrated',
    });
    expect(NOOP_FILESYSTEM_MIGRATION_SINK.emit({} as FilesystemMigrationEvent)).toBeUndefined();
  });

  it('reports its progress, up to the last thread', async () => {
    const files = Array.from({ length: 300 }, (_, n) => [`thd_${n}/runs/r/f`, String(n)]);
    const root = legacyRoot(Object.fromEntries(files));
    const seen: FilesystemMigrationProgress[] = [];
    await new DefaultFilesystemMigrator().migrate(root, { onProgress: (p) => seen.push(p) });
    expect(seen.length).toBeGreaterThan(3);
    expect(seen[0]).toStrictEqual({ prepared: 0, done: 0, total: 300 });
    expect(seen.at(-1)).toStrictEqual({ prepared: 300, done: 300, total: 300 });
    for (const key of ['prepared', 'done'] as const) {
      const counts = seen.map((progress) => progress[key]);
      expect(counts).toStrictEqual([...counts].sort((a, b) => a - b));
    }
  });

  it('goes on when its callback throws, and says so', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const onProgress = () => {
      throw new Error('of the callback');
    };
    await new DefaultFilesystemMigrator().migrate(legacyRoot(), { onProgress });
    expect(JSON.stringify(warned.mock.calls)).toContain('of the callback');
    warned.mockRestore();
  });

  it('stops when its signal is aborted, and is gone on with', async () => {
    const files = Array.from({ length: 300 }, (_, n) => [`thd_${n}/runs/r/f`, String(n)]);
    const root = legacyRoot(Object.fromEntries(files));
    for (const stopAt of [{ prepared: 128 }, { prepared: 300 }]) {
      const controller = new AbortController();
      const reason = new Error('enough');
      const migrated = new DefaultFilesystemMigrator().migrate(root, {
        signal: controller.signal,
        onProgress: ({ prepared }) => {
          if (prepared === stopAt.prepared) controller.abort(reason);
        },
      });
      expect(await migrated.catch((error) => error)).toBe(reason);
      expect(readdirSync(join(root, '.migration'))).toStrictEqual([]);
    }
    const { kind, migratedThreads } = await new DefaultFilesystemMigrator().migrate(root);
    expect([kind, migratedThreads.length]).toStrictEqual(['migrated', 300]);
    const aborted = new DefaultFilesystemMigrator().migrate(root, { signal: AbortSignal.abort() });
    expect(await aborted.catch((error) => error)).toMatchObject({ name: 'AbortError' });
  });

  it('takes ten thousand threads in one go', { timeout: 300_000 }, async () => {
    const root = tempRoot();
    for (let n = 0; n < 10_000; n += 1) {
      mkdirSync(join(root, `threads/thd_${n}/runs`), { recursive: true });
    }
    const { migratedThreads } = await new DefaultFilesystemMigrator().migrate(root);
    expect(migratedThreads).toHaveLength(10_000);
    expect(existsSync(join(root, `projects/prj_legacy_9999/${SESSION}/runs`))).toBe(true);
    const store = new DiskSessionStore({ rootDir: root });
    expect(await store.getProject('prj_legacy_5000', UNKNOWN_TENANT_ID)).not.toBeNull();
    // Here, where there is more time for it than in a hook.
    rmSync(root, { recursive: true });
  });

  it('answers paths as the root was given', async () => {
    const root = legacyRoot();
    const given = relative(process.cwd(), root);
    const { markerPath } = await new DefaultFilesystemMigrator().migrate(given);
    expect(markerPath).toBe(join(given, MARKER_REL_PATH));
  });

  it('rejects what is no path', async () => {
    for (const rootDir of ['', 'a\0b', undefined, 7]) {
      await rejectionOf(
        new DefaultFilesystemMigrator().migrate(rootDir as string),
        InvalidArgumentError,
      );
    }
  });

  it('rejects names that are no ids before anything moves', async () => {
    for (const name of ['thd_Not An Id', 'thd_']) {
      const root = legacyRoot({ ...THREADS, [`${name}/runs/f`]: '' });
      const names = await recordNames(root);
      const error = await rejectionOf(
        new DefaultFilesystemMigrator().migrate(root),
        FilesystemMigrationError,
      );
      expect(error.details).toMatchObject({
        op: 'validate_thread_id',
        path: join(root, 'threads', name),
      });
      expect(error.message).toContain('validate_thread_id');
      expect(error.details.cause).toBeInstanceOf(Error);
      expect(error.cause).toBe(error.details.cause);
      const after = await recordNames(root);
      expect(after.filter((path) => path !== '.migration/')).toStrictEqual(names);
    }
  });

  it.skipIf(process.platform === 'win32')('keeps what it makes private', async () => {
    const root = legacyRoot({ 'thd_a/.keep': '' });
    await new DefaultFilesystemMigrator().migrate(root);
    for (const name of await recordNames(root)) {
      if (name.startsWith('threads/')) continue;
      const mode = statSync(join(root, name)).mode & 0o777;
      expect(mode, name).toBe(name.endsWith('/') ? 0o700 : 0o600);
    }
  });
});

describe('a thread whose project another tenant has', () => {
  const take = (root: string, file: string, record: object) => {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(record, null, 2));
  };
  const at = '2026-01-02T03:04:05.678Z';
  const project = (tenantId: string) => ({
    id: 'prj_legacy_two',
    tenantId,
    name: 'theirs',
    config: { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 },
    createdAt: at,
    updatedAt: at,
  });
  const session = (tenantId: string) => ({
    id: LEGACY_DEFAULT_SESSION_ID,
    projectId: 'prj_legacy_two',
    tenantId,
    status: 'idle',
    currentActor: null,
    previousActors: [],
    workspaceId: null,
    ownerVersion: 0,
    createdAt: at,
    updatedAt: at,
  });
  const projectFile = 'projects/prj_legacy_two/project.json';
  const sessionFile = `projects/prj_legacy_two/sessions/${LEGACY_DEFAULT_SESSION_ID}/session.json`;

  it.each([
    ['project', 'write_project_json', projectFile, 'tnt_b', 'tnt_b'],
    ['session', 'write_session_json', sessionFile, UNKNOWN_TENANT_ID, 'tnt_b'],
  ])('is refused before anything of any thread moves: its %s', async (_, op, file, owner, of) => {
    const root = tempRoot();
    for (const thread of ['thd_one', 'thd_two']) {
      mkdirSync(join(root, 'threads', thread, 'runs', 'run_1'), { recursive: true });
      writeFileSync(join(root, 'threads', thread, 'runs', 'run_1', 'log'), thread);
    }
    take(root, projectFile, project(owner));
    take(root, sessionFile, session(of));
    const before = await bytesOf(root, ['threads', 'projects']);
    const refused = new DefaultFilesystemMigrator().migrate(root);
    const error = await rejectionOf(refused, FilesystemMigrationError);
    expect(error.details).toMatchObject({ op, path: join(root, file) });
    expect(String(error.details.cause)).toContain('another tenant');
    expect(await bytesOf(root, ['threads', 'projects'])).toStrictEqual(before);
    expect(existsSync(join(root, MARKER_REL_PATH))).toBe(false);
    expect(existsSync(join(root, LOCK_REL_PATH))).toBe(false);
    // Once it is out of the way, all are migrated.
    renameSync(join(root, 'projects/prj_legacy_two'), join(root, 'projects/prj_theirs'));
    const { migratedThreads } = await new DefaultFilesystemMigrator().migrate(root);
    expect(migratedThreads).toHaveLength(2);
  });
});
