import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cleanEnvironment } from '../support/environment.js';
import { tempDir } from '../support/temp-root.js';

const SCRIPT = fileURLToPath(new URL('./smoke.mjs', import.meta.url));

it('the smoke test of other runtimes holds on Node.js', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, tempDir()], {
    env: cleanEnvironment(),
  });
  expect(stdout).toMatch(/\n1\d passed, 0 failed\n$/);
});
