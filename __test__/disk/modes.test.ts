import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runChild } from '../support/child.js';
import { tempRoot } from '../support/temp-root.js';
import { namesBelow } from '../support/tree.js';

describe.skipIf(process.platform === 'win32')('modes of files', () => {
  it('are private to their owner, whatever the umask allows', async () => {
    const root = tempRoot();
    await runChild('write-everything.mjs', [root]);
    const names = await namesBelow(root);
    const modes = await Promise.all(
      ['./', ...names].map(async (name) => {
        const { mode } = await stat(join(root, name));
        return `${name} ${(mode & 0o777).toString(8)}`;
      }),
    );
    const expected = ['./', ...names].map((name) => `${name} ${name.endsWith('/') ? 700 : 600}`);
    expect(names.filter((name) => name.endsWith('messages.jsonl'))).toHaveLength(1);
    expect(modes).toStrictEqual(expected);
  });
});
