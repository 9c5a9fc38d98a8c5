import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const HARNESS = fileURLToPath(new URL('../../harness/archives.mjs', import.meta.url));

it('processes that archive, restore, edit and read the same sessions lose nothing and see no parts', async () => {
  const harness = spawn(process.execPath, [HARNESS, '2', '800'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => harness.on('close', resolve));
  const [said, complaints] = await Promise.all([text(harness.stdout), text(harness.stderr)]);
  console.log(said);
  expect(complaints).toBe('');
  expect(await ended).toBe(0);
  expect(said).toMatch(/archives: 2 rounds, 4 looks, .* 0 rounds failed/);
}, 120_000);
