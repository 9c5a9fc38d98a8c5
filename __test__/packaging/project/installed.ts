import { createRequire } from 'node:module';
import { InMemorySessionStore, TenantIsolationError } from 'namzu-native';
import { describeSessionStore } from 'namzu-native/conformance';
import { expect, it } from 'vitest';

it('throws the class that the test imported', async () => {
  const call = new InMemorySessionStore().createProject({ tenantId: 'tnt_a', name: 'x' }, 'tnt_b');
  await expect(call).rejects.toBeInstanceOf(TenantIsolationError);
});

describeSessionStore('installed', () => new InMemorySessionStore(), { skip: ['messages'] });

it('gets the same kit by require', () => {
  const required = createRequire(import.meta.url)('namzu-native/conformance');
  expect(required.describeSessionStore).toBe(describeSessionStore);
});
