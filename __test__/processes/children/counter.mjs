// Adds 1 to the owner version of a session many times, by reading it and compare-and-set.
// Prints how often somebody else was faster.
// Usage: counter.mjs <root> <session> <times>
import process from 'node:process';
import { DiskSessionStore, StaleSessionError } from 'namzu-native';

const [, , rootDir, sessionId, times] = process.argv;
const tenant = 'tnt_alpha';
const store = new DiskSessionStore({ rootDir });

let stale = 0;
for (let added = 0; added < Number(times); ) {
  const session = await store.getSession(sessionId, tenant);
  const { ownerVersion } = session;
  try {
    await store.updateSession({ ...session, ownerVersion: ownerVersion + 1 }, tenant, ownerVersion);
    added += 1;
  } catch (error) {
    if (!(error instanceof StaleSessionError)) throw error;
    stale += 1;
  }
}
console.log(JSON.stringify({ stale }));
