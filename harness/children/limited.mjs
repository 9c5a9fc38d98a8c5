// Fills a root after its parent limited this process, and again after it freed it; prints what it
// found. Arguments: root, kind of limit.

import process from 'node:process';
import { createInterface } from 'node:readline';
import { Story } from '../lib/story.mjs';

const [root, kind] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const CODES = kind === 'fsize' ? ['EFBIG'] : ['EMFILE'];

const early = new Story(`${root}-early`, []);
await early.fill(3); // whatever the runtime opens once is open
await early.store.close();
process.stdout.write('ready\n');
await lines.next();
const story = new Story(root, CODES);
await story.fill(400);
if (kind === 'fsize') await story.read('limited');
await story.remove();
process.stdout.write('refused\n');
await lines.next();
await story.recover('freed');
const { problems, refusals } = story;
process.stdout.write(`${JSON.stringify({ problems, refusals: [...refusals] })}\n`);
process.exit();
