// A process of its own that opens a root and asks it one question; prints how long that took,
// the package's loading apart, and what memory the process then has.
// Usage: first-answer.mjs <root> <session> <method>…

import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';
import { TENANT } from '../cases/plant.mjs';

const [, , rootDir, sessionId, ...methods] = process.argv;
const start = process.hrtime.bigint();
const store = new DiskSessionStore({ rootDir });
for (const method of methods) {
  const answer = await store[method](sessionId, TENANT);
  if (answer === null) throw new Error(`${method} found nothing`);
}
const microseconds = Number(process.hrtime.bigint() - start) / 1000;
console.log(JSON.stringify({ microseconds, bytes: process.memoryUsage.rss() }));
