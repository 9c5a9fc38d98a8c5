import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiskArchiveBackend } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { fixtureIsAbsent, fixturePath } from '../support/fixtures.js';
import { copyOfRecords } from '../support/temp-root.js';
import { diskStore, managerOf } from './archive-world.js';

const FIXTURE = 'roots/sdk-0.2.0';

describe.skipIf(fixtureIsAbsent(FIXTURE))('a bundle that the SDK wrote', () => {
  const expected = () => {
    const file = join(fixturePath(FIXTURE), 'expected.json');
    return JSON.parse(readFileSync(file, 'utf8')).archives as Record<string, object>;
  };

  it('restores to what the SDK reads from it', async () => {
    const backend = new DiskArchiveBackend({ rootDir: join(fixturePath(FIXTURE), 'root') });
    for (const [archiveRef, bundle] of Object.entries(expected())) {
      const restored = await backend.restore(archiveRef as never);
      expect(JSON.parse(JSON.stringify(restored))).toStrictEqual(bundle);
      expect(restored.messages[0]?.at).toBeInstanceOf(Date);
      expect(restored.summaryRef?.keyDecisions[0]?.at).toBeInstanceOf(Date);
      expect(await backend.verify()).toStrictEqual([{ archiveRef, state: 'complete' }]);
    }
  });

  it('restores its edge', async () => {
    const root = copyOfRecords(join(fixturePath(FIXTURE), 'root'));
    const [store, backend] = [diskStore(root), new DiskArchiveBackend({ rootDir: root })];
    for (const bundle of Object.values(expected()) as { subSessionId: never; tenantId: never }[]) {
      const { subSessionId, tenantId } = bundle;
      if ((await store.getSubSession(subSessionId, tenantId))?.status !== 'archived') continue;
      await managerOf(store, backend).restore(subSessionId, tenantId);
      expect((await store.getSubSession(subSessionId, tenantId))?.status).toBe('idle');
    }
  });
});
