/**
 * Prints the files that a program needs, as the tracer finds them that Next.js, Vercel, Nitro and
 * Netlify use.
 *
 *   node trace.mjs <folder> <program>
 */

import { join } from 'node:path';
import { nodeFileTrace } from '@vercel/nft';

const [base, program] = process.argv.slice(2);
const { fileList } = await nodeFileTrace([join(base, program)], { base });
console.log(JSON.stringify([...fileList]));
