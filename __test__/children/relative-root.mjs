// Opens a root by a relative path, then changes the working directory before and between calls.
// Usage: relative-root.mjs <directory at construction> <directory at the calls>
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [, , there, elsewhere] = process.argv;
const tenant = 'tnt_alpha';
process.chdir(there);
const store = new DiskSessionStore({ rootDir: 'data/../root' });
process.chdir(elsewhere);
const project = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
process.chdir('/');
const read = await store.getProject(project.id, tenant);
console.log(JSON.stringify({ id: project.id, read: read?.id }));
