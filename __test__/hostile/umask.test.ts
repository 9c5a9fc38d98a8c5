import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nobody, nobodyCanRun, runChild } from '../support/child.js';
import { tempDir } from '../support/temp-root.js';
import { namesBelow } from '../support/tree.js';

const UMASKS = ['0', '2', '22', '27', '77'];

describe.runIf(nobodyCanRun())('under a umask of', () => {
  it.each(UMASKS)('%s, files are 0600 and folders 0700', async (umask) => {
    const dir = tempDir();
    chmodSync(dir, 0o777);
    const root = join(dir, 'root');
    const first = await runChild('under-umask.mjs', [root, umask], nobody);
    const again = await runChild('under-umask.mjs', [root, umask], nobody);
    expect([first, again]).toStrictEqual([1, 2]);
    const modes = new Set(
      ['./', ...(await namesBelow(root))].map((name) => {
        const mode = (statSync(join(root, name)).mode & 0o777).toString(8);
        return `${name.endsWith('/') ? 'folder' : 'file'} ${mode}`;
      }),
    );
    expect([...modes].sort()).toStrictEqual(['file 600', 'folder 700']);
  });
});
