// Tries to read from and to write to a root, and prints how that went.
// Usage: try-to-write.mjs <root>
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const tenant = 'tnt_alpha';
const store = new DiskSessionStore({ rootDir: process.argv[2] });

async function outcome(promise) {
  try {
    return { value: await promise };
  } catch (error) {
    return { name: error.name, message: error.message, details: error.details };
  }
}

console.log(
  JSON.stringify({
    read: await outcome(store.getProject('prj_x', tenant)),
    write: await outcome(store.createProject({ tenantId: tenant, name: 'x' }, tenant)),
  }),
);
