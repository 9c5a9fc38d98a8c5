// Adopts a root by a change, saying so before and while it does; prints what it answered.
// Usage: adopt.mjs <root> [report]
import { writeSync } from 'node:fs';
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [, , rootDir, report] = process.argv;
const tenant = 'tnt_alpha';
const say = (text) => report !== undefined && writeSync(1, `${text}\n`);
const onProgress = ({ done }) => say(done);
const store = new DiskSessionStore({ rootDir, onProgress });
say('started');
const project = await store.createProject({ tenantId: tenant, name: 'adopted' }, tenant);
console.log(JSON.stringify(project));
