import type { ProjectId } from 'namzu-native';
import { InvalidArgumentError, InvalidIdError, TenantIsolationError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { ALPHA, BETA } from '../support/world.js';
import { describeStores } from './stores.js';

const DEFAULTS = { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 };

describe('project configuration', () => {
  describeStores((make) => {
    it('is given in part, and the rest gets its default', async () => {
      const store = make();
      const config = { maxDelegationWidth: 20, retentionPolicy: { idleSubSessionTTL: 5 } };
      const project = await store.createProject({ tenantId: ALPHA, name: 'P', config }, ALPHA);
      expect(project.config).toStrictEqual({ ...DEFAULTS, ...config });
      expect(await store.getProject(project.id, ALPHA)).toStrictEqual(project);
    });

    it('is merged key by key, undefined leaves a key alone', async () => {
      const store = make();
      const project = await store.createProject({ tenantId: ALPHA, name: 'P' }, ALPHA);
      const sharedVaults = ['vlt_a'] as const;
      await store.updateProject(project.id, { sharedVaults, maxDelegationDepth: 2 }, ALPHA);
      const updated = await store.updateProject(
        project.id,
        { sharedVaults: undefined, sharedDeliverables: true },
        ALPHA,
      );
      const config = { ...DEFAULTS, maxDelegationDepth: 2, sharedVaults, sharedDeliverables: true };
      expect(updated?.config).toStrictEqual(config);
      expect(await store.getProject(project.id, ALPHA)).toStrictEqual(updated);
      expect(updated?.createdAt).toStrictEqual(project.createdAt);
      expect(updated?.updatedAt.getTime()).toBeGreaterThanOrEqual(project.updatedAt.getTime());
    });

    it('of a missing project is null, of another tenant refused', async () => {
      const store = make();
      const project = await store.createProject({ tenantId: ALPHA, name: 'P' }, ALPHA);
      expect(await store.updateProject('prj_missing', {}, ALPHA)).toBeNull();
      await rejectionOf(store.updateProject(project.id, {}, BETA), TenantIsolationError);
      await rejectionOf(store.updateProject('../x' as ProjectId, {}, ALPHA), InvalidIdError);
    });

    it.each([
      [{ maxDelegationDepth: -1 }, 'config.maxDelegationDepth'],
      [{ maxDelegationWidth: Number.NaN }, 'config.maxDelegationWidth'],
      [{ sharedVaults: 'vlt_a' }, 'config.sharedVaults'],
      [
        { retentionPolicy: { maxSubSessionsPerProject: 1.5 } },
        'config.retentionPolicy.maxSubSessionsPerProject',
      ],
    ])('%j is refused', async (config, argument) => {
      const store = make();
      const project = await store.createProject({ tenantId: ALPHA, name: 'P' }, ALPHA);
      const update = store.updateProject(project.id, config as never, ALPHA);
      expect((await rejectionOf(update, InvalidArgumentError)).details.argument).toBe(argument);
      expect(await store.getProject(project.id, ALPHA)).toStrictEqual(project);
    });
  });
});
