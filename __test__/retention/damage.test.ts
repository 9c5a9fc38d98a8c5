import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArchiveNotFoundError, DiskArchiveBackend } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { said } from '../extensions/stores.js';
import { rejectionOf } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA } from '../support/world.js';
import { archiveWorld } from './archive-world.js';

const FILES = [
  'archive.json',
  'messages.jsonl',
  'original-messages.jsonl',
  'subsession.json',
  'summary.json',
  'workspace.json',
];

/** A bundle that has every file that there can be. */
async function fullBundle() {
  const world = await archiveWorld();
  await world.world.change(world.edge, { workspaceId: 'wsp_a' });
  await world.store.replaceMessages(world.child.id, [said('x')], ALPHA);
  const workspace = {
    id: 'wsp_a' as const,
    meta: { backend: 'shared' as const },
    createdAt: new Date(),
  };
  Object.assign((world.manager as unknown as { deps: object }).deps, {
    workspaceResolver: async () => workspace,
  });
  const { archiveRef } = await world.manager.archive(world.edge.id, ALPHA, { evict: true });
  const dir = join(world.root, 'archive', archiveRef);
  expect(readdirSync(dir).sort()).toStrictEqual(FILES);
  const expectRefused = async (reason: string) => {
    for (const restore of [
      () => world.manager.restore(world.edge.id, ALPHA),
      () => world.backend.restore(archiveRef),
    ]) {
      const error = await rejectionOf<ArchiveNotFoundError>(restore(), ArchiveNotFoundError);
      expect(error.details).toStrictEqual({ archiveRef, reason });
    }
    expect((await world.store.getSubSession(world.edge.id, ALPHA))?.status).toBe('archived');
    expect(await world.store.loadMessages(world.child.id, ALPHA)).toStrictEqual([]);
  };
  return { ...world, archiveRef, dir, expectRefused };
}

describe('a damaged bundle', () => {
  it.each(FILES)('is refused when a byte of %s is flipped', async (file) => {
    const { dir, expectRefused } = await fullBundle();
    const whole = readFileSync(join(dir, file));
    for (const at of [0, whole.length >> 1, whole.length - 1]) {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] as number) ^ 1;
      writeFileSync(join(dir, file), flipped);
      await expectRefused('corrupt');
    }
    writeFileSync(join(dir, file), Buffer.concat([whole, Buffer.from('\n')]));
    await expectRefused('corrupt');
  });

  it.each(FILES)('is refused when %s is cut short or emptied', async (file) => {
    const { dir, expectRefused } = await fullBundle();
    const { length } = readFileSync(join(dir, file));
    truncateSync(join(dir, file), length - 1);
    await expectRefused('corrupt');
    truncateSync(join(dir, file), 0);
    await expectRefused('corrupt');
  });

  it.each(FILES)('is refused when %s is missing', async (file) => {
    const { dir, expectRefused } = await fullBundle();
    rmSync(join(dir, file));
    const unfinished = file === 'archive.json' || file === 'subsession.json';
    await expectRefused(unfinished ? 'incomplete' : 'corrupt');
  });

  it('is refused with a file too many, and when it is gone', async () => {
    const { dir, expectRefused } = await fullBundle();
    writeFileSync(join(dir, 'original-summary.json'), '{}');
    await expectRefused('corrupt');
    rmSync(join(dir, 'original-summary.json'));
    writeFileSync(join(dir, '.DS_Store'), '');
    await expectRefused('corrupt');
    rmSync(dir, { recursive: true });
    await expectRefused('missing');
  });

  it('restores once it is whole again', async () => {
    const { store, manager, child, edge, dir, expectRefused } = await fullBundle();
    const file = join(dir, 'messages.jsonl');
    const whole = readFileSync(file);
    writeFileSync(file, '');
    await expectRefused('corrupt');
    writeFileSync(file, whole);
    await manager.restore(edge.id, ALPHA);
    expect(await store.loadMessages(child.id, ALPHA)).toStrictEqual([said('x')]);
  });

  it('is reported by verify', async () => {
    const { root, archiveRef, dir, backend } = await fullBundle();
    const verify = () => (backend as DiskArchiveBackend).verify();
    expect(await verify()).toStrictEqual([{ archiveRef, state: 'complete' }]);
    mkdirSync(join(root, 'archive', 'arc_0'));
    mkdirSync(join(root, 'archive', 'not-a-bundle'));
    writeFileSync(join(dir, 'messages.jsonl'), '');
    expect(await verify()).toStrictEqual([
      { archiveRef: 'arc_0', state: 'incomplete' },
      { archiveRef, state: 'corrupt' },
    ]);
    expect(await new DiskArchiveBackend({ rootDir: tempRoot() }).verify()).toStrictEqual([]);
  });

  it.each(['', 'arc_', 'arc_missing', '../x', 'arc_../x', 'arc_a/b', 'ses_a', 'arc_\0'])(
    'that does not exist is missing: %j',
    async (archiveRef) => {
      const { backend } = await archiveWorld();
      const error = await rejectionOf(backend.restore(archiveRef as never), ArchiveNotFoundError);
      expect(error.details).toStrictEqual({ archiveRef, reason: 'missing' });
    },
  );
});
