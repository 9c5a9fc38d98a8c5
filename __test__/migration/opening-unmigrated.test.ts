import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultFilesystemMigrator, DiskSessionStore, UNKNOWN_TENANT_ID } from 'namzu-native';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { legacyRoot } from './support.js';

const TENANT = UNKNOWN_TENANT_ID;

describe('a store over a root that was never migrated', () => {
  let warned: MockInstance<typeof process.emitWarning>;
  beforeEach(() => {
    warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  });
  afterEach(() => {
    warned.mockRestore();
  });

  it('does not migrate it, and works on what is there', async () => {
    const root = legacyRoot();
    const store = new DiskSessionStore({ rootDir: root });
    const project = await store.createProject({ tenantId: TENANT, name: 'x' }, TENANT);
    expect(await store.getProject(project.id, TENANT)).toStrictEqual(project);
    expect(existsSync(join(root, '.migration'))).toBe(false);
    expect(existsSync(join(root, 'threads/thd_one/runs'))).toBe(true);
    expect(warned).not.toHaveBeenCalled();
  });

  it('warns once, before the first answer that would differ', async () => {
    const misses = [
      (store: DiskSessionStore) => store.getProject('prj_legacy_one', TENANT),
      (store: DiskSessionStore) => store.getSession('ses_legacy_default', TENANT),
      (store: DiskSessionStore) => store.drill('ses_legacy_default', TENANT),
      (store: DiskSessionStore) => store.loadMessages('ses_legacy_default', TENANT),
      (store: DiskSessionStore) => store.loadSessionMessages('ses_legacy_default', TENANT),
      (store: DiskSessionStore) => store.getAncestry('ses_legacy_default', TENANT),
    ];
    for (const miss of misses) {
      const root = legacyRoot();
      const store = new DiskSessionStore({ rootDir: root });
      warned.mockClear();
      expect((await miss(store)) ?? []).toStrictEqual([]);
      expect(warned).toHaveBeenCalledTimes(1);
      expect(warned.mock.calls[0]?.[0]).toContain('DefaultFilesystemMigrator');
      for (const again of misses) await again(store);
      expect(warned).toHaveBeenCalledTimes(1);
    }
  });

  it('names the migrator in errors about what is not found', async () => {
    const store = new DiskSessionStore({ rootDir: legacyRoot() });
    const session = { projectId: 'prj_legacy_one', currentActor: null } as const;
    const append = store.appendMessage('ses_legacy_default', { role: 'user', content: '' }, TENANT);
    await expect(append).rejects.toThrow(/ses_legacy_default not found.*DefaultFilesystemMigrator/);
    await expect(store.createSession(session, TENANT)).rejects.toThrow(
      /prj_legacy_one not found.*DefaultFilesystemMigrator/,
    );
  });

  it('says nothing of it once the root is migrated, or where there are no threads', async () => {
    const migrated = legacyRoot();
    await new DefaultFilesystemMigrator().migrate(migrated);
    for (const rootDir of [migrated, tempRoot()]) {
      const store = new DiskSessionStore({ rootDir });
      expect(await store.getProject('prj_unknown', TENANT)).toBeNull();
      const append = store.appendMessage('ses_unknown', { role: 'user', content: '' }, TENANT);
      await expect(append).rejects.toThrow(/ses_unknown not found$/);
    }
    expect(warned).not.toHaveBeenCalled();
  });
});
