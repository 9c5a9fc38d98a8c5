// Adopts a root by a change, saying so before and while it does; prints what it answered.
// Usage: adopt.mjs <root> [report]
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';
import { say } from '../../children/say.mjs';

const [, , rootDir, report] = process.argv;
const tenant = 'tnt_alpha';
const tell = (text) => report !== undefined && say(`${text}\n`);
const onProgress = ({ done }) => tell(done);
const store = new DiskSessionStore({ rootDir, onProgress });
tell('started');
const project = await store.createProject({ tenantId: tenant, name: 'adopted' }, tenant);
console.log(JSON.stringify(project));
