// Appends a message with a key, and is killed as soon as a file says that it was written:
// nothing of the answer is ever seen, as the event loop gets no turn.
// Usage: append-and-vanish.mjs <root> <session> <tenant> <key> <file>
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [rootDir, session, tenant, key, file] = process.argv.slice(2);
const store = new DiskSessionStore({ rootDir });
const message = { role: 'user', content: key };
void store.appendMessage(session, message, tenant, { idempotencyKey: key });
const wanted = Buffer.from(`"idempotencyKey":"${key}"`);
for (;;) {
  try {
    if (readFileSync(file).includes(wanted)) process.kill(process.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
