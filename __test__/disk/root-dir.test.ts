import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  DiskArchiveBackend,
  DiskSessionStore,
  InvalidArgumentError,
  StoreIoError,
  verify,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { nobody, nobodyCanRun, runChild } from '../support/child.js';
import { rejectionOf } from '../support/rejection.js';
import { tempDir } from '../support/temp-root.js';
import { ALPHA } from '../support/world.js';

const NEW_PROJECT = { tenantId: ALPHA, name: 'x' };

describe('a rootDir that is no path', () => {
  const LIKE_URLS = ['file:///data', 'file:data', 'https://example.com/x', 'S3://bucket/x'];
  const HOMES = ['~', '~/data', '~\\data'];

  it.each([
    '',
    42,
    undefined,
    null,
    true,
    {},
    [],
    'a\0b',
    new URL('https://x.y/'),
    ...LIKE_URLS,
    ...HOMES,
  ])('%j is refused by the constructor', (rootDir) => {
    for (const make of [
      () => new DiskSessionStore({ rootDir } as { rootDir: string }),
      () => new DiskArchiveBackend({ rootDir } as { rootDir: string }),
    ]) {
      expect(make).toThrow(InvalidArgumentError);
      expect(make).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ argument: 'rootDir' }) }),
      );
    }
  });

  it('that only a shell would understand is refused with what to do', async () => {
    expect(() => new DiskSessionStore({ rootDir: '~/data' })).toThrow('os.homedir()');
    await expect(verify('~/data')).rejects.toThrow('os.homedir()');
    expect(() => new DiskSessionStore({ rootDir: 'data~' })).not.toThrow();
    expect(() => new DiskSessionStore({ rootDir: '~user' })).not.toThrow();
  });

  it.each([undefined, null, 42, '/somewhere'])('the config %j is refused', (config) => {
    expect(() => new DiskSessionStore(config as never)).toThrow(InvalidArgumentError);
  });

  it('other options that cannot be used are refused by the constructor too', () => {
    const rootDir = join(tempDir(), 'root');
    for (const wrong of [{ durability: 'maybe' }, { onProgress: 7 }, { maxListBytes: -1 }]) {
      expect(() => new DiskSessionStore({ rootDir, ...wrong } as never)).toThrow(
        expect.objectContaining({ details: { ...anyDetails, argument: Object.keys(wrong)[0] } }),
      );
    }
    expect(() => new DiskArchiveBackend({ rootDir, durability: 'maybe' as never })).toThrow(
      'durability',
    );
  });

  const anyDetails = { expected: expect.any(String), received: expect.any(String) };
});

it('a rootDir may be a file: URL object', async () => {
  const root = join(tempDir(), 'with space');
  const store = new DiskSessionStore({ rootDir: pathToFileURL(root) });
  const { id } = await store.createProject(NEW_PROJECT, ALPHA);
  await store.close();
  expect(readdirSync(join(root, 'projects'))).toEqual([id]);
  expect(await verify(pathToFileURL(root))).toEqual([]);
});

describe('a rootDir that cannot be a directory', () => {
  it.each([
    ['is a file', (file: string) => file],
    ['is below a file', (file: string) => join(file, 'root')],
  ])('that %s is refused by the system’s error, and the file stays', async (_, spell) => {
    const dir = tempDir();
    const file = join(dir, 'file');
    writeFileSync(file, 'precious');
    const rootDir = spell(file);
    const store = new DiskSessionStore({ rootDir });
    const error = await rejectionOf(store.createProject(NEW_PROJECT, ALPHA), StoreIoError);
    const keys = ['code', 'op', 'outcome', 'path', 'place'];
    expect(Object.keys(error.details).sort()).toStrictEqual(keys);
    expect(error.details.place).toBe(rootDir);
    expect(error.place).toBe(rootDir);
    expect(error.message).toContain(`\`${rootDir}\``);
    expect(error.details.outcome).toBe('not_done');
    expect(['ENOTDIR', 'EEXIST']).toContain(error.details.code);
    expect(error.message).toContain(error.details.op);
    expect(error.message).toContain(error.details.code);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(readdirSync(dir)).toStrictEqual(['file']);
  });

  it('is not read as an empty root when it is a file', async () => {
    const file = join(tempDir(), 'file');
    writeFileSync(file, 'precious');
    const store = new DiskSessionStore({ rootDir: file });
    await rejectionOf(store.getProject('prj_x', ALPHA), StoreIoError);
  });
});

describe.skipIf(!nobodyCanRun())('a rootDir that may not be written', () => {
  interface Outcomes {
    read: object;
    write: { name: string; message: string; details: Record<string, string> };
  }

  it('reads as empty, refuses a write and writes nowhere else', async () => {
    const dir = tempDir();
    chmodSync(dir, 0o755);
    const root = join(dir, 'root');
    mkdirSync(root, { mode: 0o555 });
    const cwd = join(dir, 'cwd');
    mkdirSync(cwd);
    chmodSync(cwd, 0o777);

    const { read, write } = (await runChild('try-to-write.mjs', [root], {
      ...nobody,
      cwd,
    })) as Outcomes;

    expect(read).toStrictEqual({ value: null });
    expect(write.name).toBe('StoreIoError');
    expect(write.details).toMatchObject({ code: 'EACCES', outcome: 'not_done' });
    expect(write.message).toContain('EACCES');
    expect(write.message).toContain('look at the owner and the mode');
    expect(readdirSync(root)).toStrictEqual([]);
    expect(readdirSync(cwd)).toStrictEqual([]);
    expect(readdirSync(dir).sort()).toStrictEqual(['cwd', 'root']);
  });
});

describe('a relative rootDir', () => {
  it('is resolved once, at construction', async () => {
    const dir = tempDir();
    const [there, elsewhere] = [join(dir, 'there'), join(dir, 'elsewhere')];
    mkdirSync(there);
    mkdirSync(elsewhere);
    const answer = (await runChild('relative-root.mjs', [there, elsewhere])) as {
      id: string;
      read: string;
    };
    expect(answer.read).toBe(answer.id);
    expect(readdirSync(there)).toStrictEqual(['root']);
    expect(readdirSync(join(there, 'root', 'projects'))).toStrictEqual([answer.id]);
    expect(readdirSync(elsewhere)).toStrictEqual([]);
  });
});

describe('a rootDir of unusual characters', () => {
  it.each(['with space', 'ümläut ✈', '%2e%2e', '#hash?query', '..dots'])('%j', async (name) => {
    const dir = tempDir();
    const store = new DiskSessionStore({ rootDir: join(dir, name) });
    const { id } = await store.createProject(NEW_PROJECT, ALPHA);
    expect(readdirSync(join(dir, name, 'projects'))).toStrictEqual([id]);
    expect(readdirSync(dir)).toStrictEqual([name]);
  });
});

describe('construction', () => {
  it('does no I/O: it neither creates the root nor needs it', () => {
    const dir = tempDir();
    new DiskSessionStore({ rootDir: join(dir, 'root') });
    expect(readdirSync(dir)).toStrictEqual([]);
  });

  it('keeps the root it was given when the config object changes', async () => {
    const dir = tempDir();
    const config = { rootDir: join(dir, 'one') };
    const store = new DiskSessionStore(config);
    config.rootDir = join(dir, 'two');
    await store.createProject(NEW_PROJECT, ALPHA);
    expect(readdirSync(dir)).toStrictEqual(['one']);
  });
});
