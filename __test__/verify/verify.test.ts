import { chmodSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DiskSessionStore,
  InvalidArgumentError,
  StoreIoError,
  type VerifyFinding,
  verify,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { nobody, nobodyCanRun, runChild } from '../support/child.js';
import { diskWorld } from '../support/disk-world.js';
import { fixtureIsAbsent, fixturePath } from '../support/fixtures.js';
import { messagesFile, sessionFile, subSessionFile } from '../support/paths.js';
import { rejectionOf } from '../support/rejection.js';
import { tempDir, tempRoot } from '../support/temp-root.js';
import { bytesOf, editRecord, namesBelow, readText, writeText } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

/** A root with two sessions, an edge and messages, whose store is closed. */
async function closedRoot() {
  const { world, root } = await diskWorld();
  const [parent, child] = [await world.session(), await world.session()];
  const edge = await world.edge(parent, child);
  for (const content of ['one', 'two']) {
    await world.store.appendMessage(parent.id, { role: 'user', content }, ALPHA);
  }
  await (world.store as DiskSessionStore).close();
  return { root, parent, child, edge };
}

const inShort = ({ kind, path, line }: VerifyFinding) =>
  `${kind} ${path}${line === undefined ? '' : `:${line}`}`;

describe('verify', () => {
  it('finds nothing wrong with a root in use, and with a closed one', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    await world.store.appendMessage(session.id, { role: 'user', content: 'hello' }, ALPHA);
    expect(await verify(root)).toStrictEqual([]);
    await (world.store as DiskSessionStore).close();
    expect(await verify(root)).toStrictEqual([]);
  });

  it.skipIf(fixtureIsAbsent('roots/sdk-0.2.0'))(
    'finds nothing wrong with a root of the SDK',
    async () => {
      expect(await verify(fixturePath('roots/sdk-0.2.0/root'))).toStrictEqual([]);
    },
  );

  it('answers what is wrong, ordered by path', async () => {
    const { root, parent, child, edge } = await closedRoot();
    const log = messagesFile(parent);
    await writeText(root, log, `${await readText(root, log)}{"id":`);
    await writeText(root, sessionFile(child), '{');
    await editRecord(root, subSessionFile(parent, edge), { childSessionId: 'ses_nobody' });
    await writeText(root, 'projects/x.tmp', '');
    const found = await verify(root);
    const expected = [
      `torn_log ${log}:3`,
      `damaged_record ${sessionFile(child)}`,
      `dangling_edge ${subSessionFile(parent, edge)}`,
      'leftover projects/x.tmp',
    ];
    const records = found.filter(({ path }) => !path.startsWith('.store/'));
    expect(records.map(inShort).sort()).toStrictEqual(expected.sort());
    expect(found.map(({ path }) => path)).toStrictEqual(found.map(({ path }) => path).sort());
    for (const finding of found) {
      const keys =
        finding.kind === 'torn_log'
          ? ['detail', 'kind', 'line', 'path', 'severity']
          : ['detail', 'kind', 'path', 'severity'];
      expect(Object.keys(finding).sort()).toStrictEqual(keys);
    }
    expect(found.find(({ kind }) => kind === 'dangling_edge')?.detail).toContain('ses_nobody');
  });

  it('changes nothing: neither a byte nor a time', async () => {
    const { root, child } = await closedRoot();
    await writeText(root, sessionFile(child), '{');
    const long = new Date('2020-01-01T00:00:00Z');
    const names = ['', ...(await namesBelow(root))];
    for (const name of names) utimesSync(join(root, name), long, long);
    const bytes = await bytesOf(root, ['.']);
    expect(await verify(root)).toHaveLength(1);
    expect(await bytesOf(root, ['.'])).toStrictEqual(bytes);
    for (const name of names) {
      expect(statSync(join(root, name)).mtime, name).toStrictEqual(long);
    }
  });

  it('rejects for a root that is missing, and does not make it', async () => {
    const root = tempRoot();
    const { details } = await rejectionOf(verify(root), StoreIoError);
    expect(details).toMatchObject({ code: 'ENOENT', outcome: 'not_done', place: root });
    expect(readdirSync(join(root, '..'))).toStrictEqual([]);
  });

  it('rejects for a root that is a file', async () => {
    const file = join(tempDir(), 'file');
    writeFileSync(file, 'precious');
    const { details } = await rejectionOf(verify(file), StoreIoError);
    expect(details).toMatchObject({ code: 'ENOTDIR', outcome: 'not_done' });
  });

  it.each(['', 42, undefined, null, {}, 'a\0b'])('rejects for %j', async (rootDir) => {
    const error = await rejectionOf(verify(rootDir as string), InvalidArgumentError);
    expect(error.details.argument).toBe('rootDir');
  });

  it('tells of writes that are in the journal alone, and judges by them', async () => {
    const { world, root } = await diskWorld();
    const session = await world.session();
    rmSync(join(root, sessionFile(session)));
    writeFileSync(join(root, '.store', 'progress'), '');
    const found = await verify(root);
    expect(found.map(inShort)).toStrictEqual(['unapplied_transaction .store/frames']);
    expect(found.map(({ severity }) => severity)).toEqual(['info']);
  });
});

describe.skipIf(!nobodyCanRun())('verify without permission to write', () => {
  it('works', async () => {
    const { root } = await closedRoot();
    chmodSync(join(root, '..'), 0o755);
    for (const name of ['', ...(await namesBelow(root))]) {
      chmodSync(join(root, name), name === '' || name.endsWith('/') ? 0o555 : 0o444);
    }
    expect(await runChild('verify.mjs', [root], nobody)).toStrictEqual([]);
    for (const name of ['', ...(await namesBelow(root))]) chmodSync(join(root, name), 0o755);
  });
});
