// Fills roots after its parent limited this process, and again after it freed it; prints what it
// found. Arguments: root, kind of limit, whether reading may be refused.

import process from 'node:process';
import { createInterface } from 'node:readline';
import { Story } from '../lib/story.mjs';

const [root, kind, mayBeRefused] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const CODES = kind === 'fsize' ? ['EFBIG'] : ['EMFILE'];

/** Writes under the limit, reads and deletes under it; whether what was there could be deleted. */
async function limited(story) {
  await story.fill(400);
  await story.read('limited', mayBeRefused === 'true');
  return story.remove();
}

// One that was open before, which also opens whatever the runtime opens once, and a new one.
const before = new Story(`${root}-before`, CODES);
await before.fill(20);
process.stdout.write('ready\n');
await lines.next();
const removed = [await limited(before)];
const story = new Story(root, CODES);
removed.push(await limited(story));
process.stdout.write('refused\n');
await lines.next();
const { refused } = story;
await before.recover('freed, open before');
await story.recover('freed');
const problems = [...before.problems, ...story.problems];
const refusals = [...before.refusals, ...story.refusals];
const answer = { problems, refusals, removed, refused: refused + before.refused };
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.exit();
