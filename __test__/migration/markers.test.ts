import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as namzu from 'namzu-native';
import {
  acquireMigrationLock,
  InvalidArgumentError,
  type MigrationMarker,
  readMarker,
  releaseMigrationLock,
  writeMarker,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { write } from './support.js';

const MARKER: MigrationMarker = {
  version: '0.2.0',
  at: new Date('2026-03-04T05:06:07.008Z'),
  migratedThreads: [{ legacyThreadId: 'thd_a', newProjectId: 'prj_legacy_a' }],
};

describe('constants', () => {
  it('are those of the contract', () => {
    expect(namzu.MIGRATION_VERSION).toBe('0.2.0');
    expect(namzu.MARKER_REL_PATH).toBe(join('.migration', 'v0.2.0'));
    expect(namzu.LOCK_REL_PATH).toBe(join('.migration', 'v0.2.0.tmp'));
    expect(namzu.LEGACY_DEFAULT_SESSION_ID).toBe('ses_legacy_default');
    expect(namzu.LEGACY_DEFAULT_PROJECT_PREFIX).toBe('prj_legacy_');
    expect(namzu.WINDOW_OPEN).toBe(true);
  });
});

describe('a marker', () => {
  it('is written with its folders, in the form of records, and reads back', async () => {
    const root = tempRoot();
    const path = join(root, namzu.MARKER_REL_PATH);
    expect(await writeMarker(path, MARKER)).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe(JSON.stringify(MARKER, null, 2));
    expect(await readMarker(path)).toStrictEqual(MARKER);
    await writeMarker(path, { ...MARKER, migratedThreads: [] });
    expect(await readMarker(path)).toStrictEqual({ ...MARKER, migratedThreads: [] });
    expect(readdirSync(join(root, '.migration'))).toStrictEqual(['v0.2.0']);
  });

  it('is none when it is missing, unparsable or of another shape', async () => {
    const root = tempRoot();
    const path = join(root, 'marker');
    expect(await readMarker(path)).toBeNull();
    const thread = MARKER.migratedThreads[0];
    for (const content of [
      '',
      '{',
      'null',
      '[]',
      '7',
      '{}',
      '\u0000',
      { ...MARKER, version: 2 },
      { ...MARKER, at: 'yesterday' },
      { ...MARKER, at: 1 },
      { ...MARKER, migratedThreads: {} },
      { ...MARKER, migratedThreads: [null] },
      { ...MARKER, migratedThreads: [thread, {}] },
      { ...MARKER, migratedThreads: [{ ...thread, newProjectId: 1 }] },
    ]) {
      write(root, 'marker', typeof content === 'string' ? content : JSON.stringify(content));
      expect(await readMarker(path), JSON.stringify(content)).toBeNull();
    }
  });

  it('rejects with the system’s error when it is a folder', async () => {
    const path = join(tempRoot(), 'marker');
    mkdirSync(join(path, 'inside'), { recursive: true });
    expect(await readMarker(path).catch((error) => error)).toMatchObject({ code: 'EISDIR', path });
    const refused = await writeMarker(path, MARKER).catch((error) => error);
    expect(refused).toBeInstanceOf(Error);
    expect(refused.code).toMatch(/^E/);
    expect(readdirSync(join(path, '..'))).toStrictEqual(['marker']);
  });

  it('rejects what is no marker', async () => {
    const path = join(tempRoot(), 'marker');
    const { at: _, ...dateless } = MARKER;
    for (const wrong of [null, 'x', {}, dateless, { ...MARKER, at: new Date(Number.NaN) }]) {
      await rejectionOf(writeMarker(path, wrong as MigrationMarker), InvalidArgumentError);
    }
    await rejectionOf(readMarker(undefined as unknown as string), InvalidArgumentError);
    expect(existsSync(path)).toBe(false);
  });
});

describe('a migration lock', () => {
  it('is taken once, and can be given back twice', async () => {
    const path = join(tempRoot(), namzu.LOCK_REL_PATH);
    expect(await acquireMigrationLock(path)).toBeUndefined();
    const lock = JSON.parse(readFileSync(path, 'utf8'));
    expect(Object.keys(lock)[0]).toBe('at');
    expect(new Date(lock.at).toISOString()).toBe(lock.at);
    expect(lock.owner).toMatchObject({ pid: process.pid });
    const held = await acquireMigrationLock(path).catch((error) => error);
    expect(held).toBeInstanceOf(Error);
    expect(held.code).toBe('EEXIST');
    expect(await releaseMigrationLock(path)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
    await releaseMigrationLock(path);
    await acquireMigrationLock(path);
    await releaseMigrationLock(path);
  });

  it('of many callers at once, one gets it', async () => {
    const path = join(tempRoot(), 'lock');
    const asked = Array.from({ length: 20 }, () => acquireMigrationLock(path));
    const answers = await Promise.allSettled(asked);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason.code).toBe('EEXIST');
    }
    expect(readdirSync(join(path, '..'))).toStrictEqual(['lock']);
  });
});
