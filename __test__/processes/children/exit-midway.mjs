// Starts many appends and exits in the middle of them: when a given number are acknowledged, whose
// ids it prints.
// Usage: exit-midway.mjs <root> <durability> <session> <acknowledgements>
import { writeSync } from 'node:fs';
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [, , rootDir, durability, sessionId, enough] = process.argv;
const store = new DiskSessionStore({ rootDir, durability });

const acknowledged = [];
for (let n = 0; n < 1_000; n += 1) {
  const message = { role: 'user', content: `${n} `.padEnd(1_000, '.') };
  store.appendMessage(sessionId, message, 'tnt_alpha').then((id) => {
    acknowledged.push(`${id}\n`);
    if (acknowledged.length !== Number(enough)) return;
    writeSync(1, acknowledged.join(''));
    process.exit();
  });
}
if (Number(enough) === 0) process.exit();
