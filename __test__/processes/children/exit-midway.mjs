// Starts many appends and exits in the middle of them: when a given number are acknowledged, whose
// ids it prints.
// Usage: exit-midway.mjs <root> <durability> <session> <acknowledgements>
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';
import { say } from '../../children/say.mjs';

const [, , rootDir, durability, sessionId, enough] = process.argv;
const store = new DiskSessionStore({ rootDir, durability });

const acknowledged = [];
for (let n = 0; n < 1_000; n += 1) {
  const message = { role: 'user', content: `${n} `.padEnd(1_000, '.') };
  store.appendMessage(sessionId, message, 'tnt_alpha').then((id) => {
    acknowledged.push(`${id}\n`);
    if (acknowledged.length !== Number(enough)) return;
    say(acknowledged.join(''));
    process.exit();
  });
}
if (Number(enough) === 0) process.exit();
