// Prints, as a JSON array of sentences, what a root does not hold of what writers were answered.
// Arguments: root, file of answers.

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { checkLoad } from '../lib/check-load.mjs';

const [rootDir, answersFile] = process.argv.slice(2);
const lines = readFileSync(answersFile, 'utf8').split('\n').filter(Boolean);
const answers = lines.map((line) => JSON.parse(line));
console.log(JSON.stringify(await checkLoad(rootDir, answers)));
