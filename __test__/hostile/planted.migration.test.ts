import { join } from 'node:path';
import {
  acquireMigrationLock,
  DefaultFilesystemMigrator,
  DiskSessionStore,
  LOCK_REL_PATH,
  MARKER_REL_PATH,
  type MigrationMarker,
  readMarker,
  releaseMigrationLock,
  UNKNOWN_TENANT_ID,
  verify,
  writeMarker,
} from 'namzu-native';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { SESSION, write } from '../migration/support.js';
import {
  answerOf,
  canPlant,
  copyBeyond,
  expectNothingBeyond,
  INSIDE,
  OUTSIDE,
  plantedRoots,
  plants,
  stateOf,
} from './plants.js';

const TENANT = UNKNOWN_TENANT_ID;
/** What a migration rejects with, a store beside it, and the system to the marker's own functions. */
const TYPED = ['FilesystemMigrationError', 'StoreIoError', 'CorruptRecordError'];
const UNTYPED = /^E[A-Z]+: /;

const MARKER: MigrationMarker = {
  version: '0.2.0',
  at: new Date('2026-03-04T05:06:07.008Z'),
  migratedThreads: [{ legacyThreadId: `thd_${INSIDE}`, newProjectId: `prj_legacy_${INSIDE}` }],
};

/** A root of the earlier layout, which a migration that died has begun with. */
async function fill(root: string): Promise<void> {
  write(root, 'threads/thd_one/runs/run_a/run.json', INSIDE);
  write(root, 'threads/thd_one/runs/run_b/run.json', INSIDE);
  write(root, 'threads/thd_two/runs/run_c/run.json', INSIDE);
  write(root, `projects/prj_legacy_one/${SESSION}/runs/run_a/run.json`, INSIDE);
  write(root, '.migration/v0.2.0.tmp', '{"at":"2020-01-01T00:00:00.000Z"}');
  write(root, '.migration/v0.2.0.x.part', INSIDE);
}

/** Everything that a program does about a migration; what was answered. */
async function everything(root: string): Promise<string[]> {
  const marker = join(root, MARKER_REL_PATH);
  const lock = join(root, LOCK_REL_PATH);
  const migrate = () => new DefaultFilesystemMigrator().migrate(root);
  const calls: [string, () => Promise<unknown>][] = [
    ['readMarker', () => readMarker(marker)],
    ['opened', () => new DiskSessionStore({ rootDir: root }).getProject('prj_legacy_one', TENANT)],
    ['migrate', migrate],
    ['again', migrate],
    ['project', () => new DiskSessionStore({ rootDir: root }).getProject('prj_legacy_one', TENANT)],
    ['writeMarker', () => writeMarker(marker, MARKER)],
    ['reread', () => readMarker(marker)],
    ['lock', () => acquireMigrationLock(lock)],
    ['unlock', () => releaseMigrationLock(lock)],
    ['verify', () => verify(root)],
  ];
  const answers: string[] = [];
  for (const [name, call] of calls) answers.push(await answerOf(name, call, TYPED, UNTYPED));
  return answers;
}

/** Each file and folder that a migration opens; those that end in a slash are not there yet. */
const OPENED = [
  '.migration',
  '.migration/v0.2.0',
  '.migration/v0.2.0.tmp',
  '.migration/v0.2.0.x.part',
  'threads',
  'threads/thd_one',
  'threads/thd_three/',
  'threads/thd_one/runs',
  'threads/thd_one/runs/run_a',
  'threads/thd_one/runs/run_a/run.json',
  'threads/thd_two/runs/run_c',
  'projects',
  'projects/prj_legacy_one',
  'projects/prj_legacy_two/',
  'projects/prj_legacy_one/project.json',
  `projects/prj_legacy_one/${SESSION}`,
  `projects/prj_legacy_one/${SESSION}/session.json`,
  `projects/prj_legacy_one/${SESSION}/runs`,
  `projects/prj_legacy_one/${SESSION}/runs/run_a`,
  `projects/prj_legacy_one/${SESSION}/runs/run_a/run.json`,
  `projects/prj_legacy_one/${SESSION}/runs.incomplete/`,
] as const;

describe.runIf(canPlant)('planted in a root that is migrated', () => {
  const roots = plantedRoots();
  const { model, beyond, root, renew } = roots;
  let before: string[];
  beforeAll(async () => {
    await fill(model);
    // Beyond, a migration has been: a marker that could be believed, and words of others.
    copyBeyond(model, beyond);
    write(beyond, '.migration/v0.2.0', JSON.stringify(MARKER).replaceAll(INSIDE, OUTSIDE));
    before = stateOf(beyond);
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  });

  it('nothing: everything is answered', async () => {
    renew();
    const answers = await everything(root);
    expect(answers.filter((answer) => /Error: |: E[A-Z]+: /.test(answer))).toStrictEqual([]);
    expect(answers[2]).toContain('"kind":"migrated"');
    expect(answers.find((answer) => answer.startsWith('reread'))).toContain(INSIDE);
  });

  const isOwn = (place: string) => /^(\.migration|threads)/.test(place);
  const cases = OPENED.flatMap((place) =>
    plants(!isOwn(place)).map(([what, plant]) => [what, place, plant] as const),
  );
  it.each(cases)(
    '%s at %s: nothing beyond is read or written, nothing waits',
    (_what, place, plant) => expectNothingBeyond(roots, before, [place, plant], everything),
  );
});
