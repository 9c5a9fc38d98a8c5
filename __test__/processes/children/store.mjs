// A disk store in a process of its own: carries out the calls that its parent sends, and sends
// back what each is answered at once.
// Usage (with an IPC channel of structured clones): store.mjs <root> <durability>
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [, , rootDir, durability] = process.argv;
const store = new DiskSessionStore({ rootDir, durability });

process.on('message', ({ call, method, args }) => {
  store[method](...args).then(
    (value) => process.send({ call, value }),
    ({ name, message, details }) => process.send({ call, error: { name, message, details } }),
  );
});
process.on('disconnect', () => process.exit());
process.send('ready');
