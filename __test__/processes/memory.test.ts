import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment } from '../support/environment.js';

const SOAK = fileURLToPath(new URL('../../scripts/soak/memory.mjs', import.meta.url));

describe.skipIf(!existsSync('/proc/self/fd'))('memory, threads and open files', () => {
  it('are flat over thousands of operations and hundreds of dropped stores', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--expose-gc', SOAK, '12000', '300'],
      { env: cleanEnvironment() },
    );
    expect(stdout).toMatch(/\nflat, all of it\n$/);
  }, 300_000);
});
