import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { messagesFile, sessionDir, sessionFile } from '../support/paths.js';
import { tempDir } from '../support/temp-root.js';
import { bytesOf, namesBelow } from '../support/tree.js';
import { ALPHA, World } from '../support/world.js';

const SWAPPER = fileURLToPath(new URL('./children/swapper.mjs', import.meta.url));
const [INSIDE, OUTSIDE] = ['said-inside', 'said-beyond'];
const CALLS = 400;

describe.runIf(process.platform !== 'win32')('what is swapped while a store is at work', () => {
  it.each([
    ['its log, for a link', messagesFile, 'link'],
    ['its log, for a pipe', messagesFile, 'pipe'],
    ['its record, for a link', sessionFile, 'link'],
    ['its record, for a pipe', sessionFile, 'pipe'],
    ['its folder, for a link', sessionDir, 'link'],
    ['the folder of its project, for a link', () => 'projects', 'link'],
  ] as const)('%s: nothing beyond is read or written, nothing waits', async (_, place, kind) => {
    const dir = tempDir();
    const [root, beyond] = [join(dir, 'root'), join(dir, 'beyond')];
    const store = new DiskSessionStore({ rootDir: root, durability: 'relaxed' });
    const world = await World.in(store);
    const session = await world.session();
    await store.appendMessage(session.id, { role: 'user', content: INSIDE }, ALPHA);
    await store.close();
    cpSync(root, beyond, { recursive: true });
    for (const name of (await namesBelow(beyond)).filter((name) => !name.endsWith('/'))) {
      const text = readFileSync(join(beyond, name), 'latin1').replaceAll(INSIDE, OUTSIDE);
      writeFileSync(join(beyond, name), text, 'latin1');
    }
    mkdirSync(join(dir, 'aside'));
    const before = await bytesOf(dir, ['beyond']);

    const path = place(session);
    const swapper = execFile(process.execPath, [
      SWAPPER,
      join(root, path),
      join(beyond, path),
      join(dir, 'aside'),
      kind,
    ]);
    const ended = new Promise((resolve) => swapper.once('exit', resolve));
    const answers: string[] = [];
    let refused = 0;
    try {
      for (let n = 0; n < CALLS; n += 1) {
        const again = new DiskSessionStore({ rootDir: root, durability: 'relaxed' });
        const calls = [
          again.loadMessages(session.id, ALPHA),
          again.getSession(session.id, ALPHA),
          again.appendMessage(session.id, { role: 'user', content: INSIDE }, ALPHA),
          again.updateSession(session, ALPHA),
        ];
        for (const outcome of await Promise.allSettled(calls)) {
          if (outcome.status === 'fulfilled') answers.push(JSON.stringify(outcome.value) ?? '');
          else {
            refused += 1;
            answers.push(`${outcome.reason.name} ${outcome.reason.message}`);
          }
        }
      }
    } finally {
      swapper.kill('SIGTERM');
      await ended;
    }
    expect(answers.join('\n')).not.toContain(OUTSIDE);
    expect(refused).toBeGreaterThan(0); // it was swapped indeed
    expect(await bytesOf(dir, ['beyond'])).toStrictEqual(before);
  });
});
