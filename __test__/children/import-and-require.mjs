// Loads the package in both ways and prints what they have in common.
import { createRequire } from 'node:module';
import * as imported from 'namzu-native';

const required = createRequire(import.meta.url)('namzu-native');
const exported = { ...imported };
const names = (module) =>
  Object.keys(module)
    .filter((name) => name !== 'default')
    .sort();

const store = new imported.InMemorySessionStore();
const error = await store
  .createProject({ tenantId: 'tnt_a', name: 'x' }, 'tnt_b')
  .catch((reason) => reason);

console.log(
  JSON.stringify({
    imported: names(imported),
    required: names(required),
    different: names(imported).filter((name) => exported[name] !== required[name]),
    storeIsOurs: store instanceof required.InMemorySessionStore,
    errorIsOurs: error instanceof required.TenantIsolationError,
    errorIsError: error instanceof Error,
  }),
);
