import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runChild } from '../support/child.js';
import { sessionDir } from '../support/paths.js';
import { ALPHA } from '../support/world.js';
import { archiveWorld } from './archive-world.js';

const MIB = 1 << 20;
/** Larger than what is allowed, so that holding the log at once shows. */
const LOG = 96 * MIB;
const ALLOWED = 64 * MIB;

it('archiving, evicting and restoring a large log does not hold it in memory', async () => {
  const { root, child, edge } = await archiveWorld();
  const file = join(root, sessionDir(child), 'messages.jsonl');
  const message = { role: 'user', content: 'The quick brown fox jumps. '.repeat(40) };
  const at = '2026-01-02T03:04:05.678Z';
  const line = (n: number) => {
    const id = `msg_${`${n}`.padStart(12, '0')}`;
    return `${JSON.stringify({ id, sessionId: child.id, tenantId: ALPHA, message, at })}\n`;
  };
  for (let n = 0; statSync(file).size < LOG; n += 4000) {
    appendFileSync(file, Array.from({ length: 4000 }, (_, index) => line(n + index)).join(''));
  }
  const size = statSync(file).size;
  const peaks = await runChild('archive-large.mjs', [root, edge.id, ALPHA]);
  const { archived, restored } = peaks as { archived: number; restored: number };
  expect(statSync(file).size).toBe(size);
  expect(archived).toBeLessThan(ALLOWED);
  expect(restored).toBeLessThan(ALLOWED);
}, 60_000);
