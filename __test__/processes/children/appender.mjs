// Appends numbered messages of a given size to one session, a few calls at a time, in order.
// Usage: appender.mjs <root> <session> <messages> <bytes> <durability> <writer>
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [, , rootDir, sessionId, messages, bytes, durability, writer] = process.argv;
const AT_ONCE = 4;
const store = new DiskSessionStore({ rootDir, durability });

for (let n = 0; n < Number(messages); n += AT_ONCE) {
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, Number(messages) - n) }, (_, i) => {
      const start = `${writer} ${n + i} `;
      const content = start.padEnd(Number(bytes), String.fromCharCode(97 + ((n + i) % 26)));
      return store.appendMessage(sessionId, { role: 'user', content }, 'tnt_alpha');
    }),
  );
}
console.log(JSON.stringify({ done: true }));
