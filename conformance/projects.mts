import { TenantIsolationError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejectionOf } from './support/rejection.mjs';
import { ALPHA, BETA } from './support/world.mjs';

export function describeProjects(factory: SingleStoreFactory): void {
  describe('projects', () => {
    it('creates a project with the default limits and equal dates', async () => {
      const store = await factory();
      const before = Date.now();
      const project = await store.createProject({ tenantId: ALPHA, name: 'Desk' }, ALPHA);
      const after = Date.now();

      expect(project).toStrictEqual({
        id: expect.stringMatching(/^prj_[0-9a-z]{12}$/),
        tenantId: ALPHA,
        name: 'Desk',
        config: { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 },
        createdAt: expect.any(Date),
        updatedAt: project.createdAt,
      });
      expect(project.createdAt.getTime()).toBeGreaterThanOrEqual(before);
      expect(project.createdAt.getTime()).toBeLessThanOrEqual(after);
    });

    it('reads a project back as it was created', async () => {
      const store = await factory();
      const project = await store.createProject({ tenantId: ALPHA, name: 'Desk' }, ALPHA);
      expect(await store.getProject(project.id, ALPHA)).toStrictEqual(project);
    });

    it('answers null for a project that is not there', async () => {
      const store = await factory();
      expect(await store.getProject('prj_nobodyknows1', ALPHA)).toBeNull();
    });

    it('gives projects of the same name ids of their own', async () => {
      const store = await factory();
      const one = await store.createProject({ tenantId: ALPHA, name: 'Twin' }, ALPHA);
      const two = await store.createProject({ tenantId: ALPHA, name: 'Twin' }, ALPHA);
      expect(two.id).not.toBe(one.id);
      expect(await store.getProject(one.id, ALPHA)).toStrictEqual(one);
      expect(await store.getProject(two.id, ALPHA)).toStrictEqual(two);
    });

    it.each(['../../etc/passwd', 'a/b\\c', 'Bogotá ✈ 東京', 'a\0b', 'C:', ' ', '"\n', '__proto__'])(
      'keeps the name %j as it is',
      async (name) => {
        const store = await factory();
        const { id } = await store.createProject({ tenantId: ALPHA, name }, ALPHA);
        expect((await store.getProject(id, ALPHA))?.name).toBe(name);
      },
    );

    it('keeps a tenant that is no path and has no prefix', async () => {
      const store = await factory();
      const tenant = '../acme/ Åland \0' as typeof ALPHA;
      const project = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
      expect(project.tenantId).toBe(tenant);
      expect(await store.getProject(project.id, tenant)).toStrictEqual(project);
    });

    it('refuses to create a project for another tenant', async () => {
      const store = await factory();
      const error = await rejectionOf(
        store.createProject({ tenantId: ALPHA, name: 'Desk' }, BETA),
        TenantIsolationError,
      );
      expect(error.details).toStrictEqual({ requested: BETA, resource: 'project(name=Desk)' });
    });

    it('refuses another tenant a project', async () => {
      const store = await factory();
      const { id } = await store.createProject({ tenantId: ALPHA, name: 'Desk' }, ALPHA);
      const error = await rejectionOf(store.getProject(id, BETA), TenantIsolationError);
      expect(error.details).toStrictEqual({ requested: BETA, resource: `project(${id})` });
    });
  });
}
