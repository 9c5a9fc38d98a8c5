import {
  acceptLegacyThreadId,
  type MigrationWarning,
  NOOP_MIGRATION_WARNING_SINK,
  rejectLegacyPrefix,
  StalePrefixError,
} from 'namzu-native';
import { __resetSeenLegacyForTests } from 'namzu-native/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { runChild } from '../support/child.js';

beforeEach(__resetSeenLegacyForTests);

function caught(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe('acceptLegacyThreadId', () => {
  it('answers ids with the present prefix as they are', () => {
    const warnings: MigrationWarning[] = [];
    expect(acceptLegacyThreadId('prj_a', { emit: (w) => warnings.push(w) })).toBe('prj_a');
    expect(warnings).toStrictEqual([]);
  });

  it('turns the former prefix into it, and warns once of each id', () => {
    const warnings: MigrationWarning[] = [];
    const sink = { emit: (warning: MigrationWarning) => warnings.push(warning) };
    for (const id of ['thd_a', 'thd_b', 'thd_a', 'thd_\ud800', 'thd_\ud801', 'thd_a']) {
      expect(acceptLegacyThreadId(id, sink)).toBe(id.replace('thd_', 'prj_'));
    }
    expect(warnings.map(({ legacyId }) => legacyId)).toStrictEqual([
      'thd_a',
      'thd_b',
      'thd_\ud800',
      'thd_\ud801',
    ]);
    expect(warnings[0]).toStrictEqual({
      kind: 'id_prefix_legacy_read',
      legacyId: 'thd_a',
      normalizedId: 'prj_a',
      at: expect.any(Date),
      emittedOncePerProcess: true,
    });
    __resetSeenLegacyForTests();
    acceptLegacyThreadId('thd_a', sink);
    expect(warnings).toHaveLength(5);
  });

  it('throws for every other id', () => {
    for (const rawId of ['', 'ses_a', 'thda', 'THD_a', ' thd_a']) {
      const error = caught(() => acceptLegacyThreadId(rawId, NOOP_MIGRATION_WARNING_SINK));
      expect(error).toBeInstanceOf(StalePrefixError);
      expect((error as StalePrefixError).details).toStrictEqual({ rawId, kind: 'unknown_prefix' });
    }
  });

  it('has one memory for import, require and worker threads', async () => {
    expect(await runChild('legacy-ids.mjs')).toStrictEqual({
      counts: [1, 1, 2, 3],
      warningsOfWorker: 0,
    });
  });
});

describe('rejectLegacyPrefix', () => {
  it('throws for the former prefix alone', () => {
    for (const id of ['prj_a', 'ses_a', '', 'x']) expect(rejectLegacyPrefix(id)).toBeUndefined();
    const error = caught(() => rejectLegacyPrefix('thd_a'));
    expect(error).toBeInstanceOf(StalePrefixError);
    expect((error as StalePrefixError).details).toStrictEqual({
      rawId: 'thd_a',
      kind: 'thd_rejected',
    });
  });
});
