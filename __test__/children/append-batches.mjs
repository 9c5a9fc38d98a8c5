// Appends batches to a session, as many as it is told, and every keyed one twice.
// Usage: append-batches.mjs <root> <session> <tenant> <name> <count>
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [rootDir, session, tenant, name, count] = process.argv.slice(2);
const store = new DiskSessionStore({ rootDir });
for (let n = 0; n < Number(count); n += 1) {
  const batch = ['a', 'b', 'c'].map((part) => ({ role: 'user', content: `${name}.${n}.${part}` }));
  const options = n % 2 === 0 ? { idempotencyKey: `${name}.${n}` } : {};
  const ids = await store.appendMessages(session, batch, tenant, options);
  if (n % 2 !== 0) continue;
  const again = await store.appendMessages(session, batch, tenant, options);
  if (ids.join() !== again.join()) throw new Error(`sent twice: ${ids} and ${again}`);
}
console.log('{}');
