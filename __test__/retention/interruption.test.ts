import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DiskArchiveBackend } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { said } from '../extensions/stores.js';
import { childScript } from '../support/child.js';
import { ALPHA, present } from '../support/world.js';
import { archiveWorld, diskBackend, diskStore, managerOf } from './archive-world.js';

const ROUNDS = 12;

describe('a process that is killed while it archives and restores', () => {
  it('leaves the edge as it was or archived whole, and running again ends well', async () => {
    const { root, store, child, edge, world } = await archiveWorld();
    for (let n = 0; n < 40; n += 1) {
      const batch = Array.from({ length: 50 }, (_, index) =>
        said(`${n}.${index} ${'x'.repeat(200)}`),
      );
      await store.appendMessages(child.id, batch, ALPHA);
    }
    const before = await store.loadSessionMessages(child.id, ALPHA);
    for (let round = 0; round < ROUNDS; round += 1) {
      const script = childScript('archive-forever.mjs');
      const process_ = spawn(process.execPath, [script, root, edge.id, ALPHA], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(process_.stdout, 'data');
      await sleep(5 + ((round * 37) % 90));
      process_.kill('SIGKILL');
      await once(process_, 'exit');

      const [later, backend] = [diskStore(root), diskBackend(root) as DiskArchiveBackend];
      const { status, archiveRef } = present(await later.getSubSession(edge.id, ALPHA));
      const states = await backend.verify();
      expect(states.every(({ state }) => state !== 'corrupt')).toBe(true);
      expect(states.filter(({ state }) => state === 'incomplete').length).toBeLessThanOrEqual(1);
      if (status === 'archived') {
        expect(states).toContainEqual({ archiveRef, state: 'complete' });
        const bundle = await backend.restore(present(archiveRef));
        expect(bundle.messages).toStrictEqual(before);
        await managerOf(later, backend).restore(edge.id, ALPHA);
      } else {
        expect(status).toBe('idle');
      }
      expect(await later.loadSessionMessages(child.id, ALPHA)).toStrictEqual(before);
      expect(await later.getSummary(child.id, ALPHA)).not.toBeNull();
      await managerOf(later, backend).sweep(world.project.id, ALPHA);
      expect((await backend.verify()).every(({ state }) => state === 'complete')).toBe(true);
    }
  }, 120_000);
});
