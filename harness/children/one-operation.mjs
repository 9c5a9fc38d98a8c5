// Makes one call on a root, and the same call again, each when it is told to, and prints what was
// answered.
// Arguments: root, operation, ids as JSON.

import process from 'node:process';
import { createInterface } from 'node:readline';
import { DiskSessionStore } from 'namzu-native';
import { OPERATIONS, TENANT } from '../lib/operations.mjs';

const [rootDir, name, idsText] = process.argv.slice(2);
const ids = JSON.parse(idsText);
const store = new DiskSessionStore({ rootDir });

async function attempt(call) {
  try {
    const value = await call();
    return { ok: true, value };
  } catch (error) {
    const { name, message, details, cause } = error;
    return { name, message, details, cause: cause?.code };
  }
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
const call = () => OPERATIONS[name].run(store, ids, rootDir);

await new DiskSessionStore({ rootDir: `${rootDir}-none` }).getSession('ses_none', TENANT);
say('ready'); // and so is the thread that carries it out
await lines.next();
say(await attempt(call));
await lines.next();
const second = await attempt(call);
await attempt(() => store.close());
say(second);
process.exit();
