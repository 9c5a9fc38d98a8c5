// Uses the package from CommonJS: by `require` first, then by a dynamic import.
const required = require('namzu-native');

async function main() {
  const store = new required.InMemorySessionStore();
  const tenant = required.generateTenantId();
  const project = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
  const imported = await import('namzu-native');
  const other = imported.generateTenantId();
  const error = await store.getProject(project.id, other).catch((reason) => reason);
  console.log(
    JSON.stringify({
      sameStore: imported.InMemorySessionStore === required.InMemorySessionStore,
      errorIsTheirs: error instanceof imported.TenantIsolationError,
      name: error.name,
    }),
  );
}

main();
