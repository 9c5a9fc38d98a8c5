import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CONFORMANCE_GROUPS,
  type ConformanceGroup,
  describeSessionStore,
} from 'namzu-native/conformance';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanEnvironment } from '../support/environment.js';
import { sharedTempDir } from '../support/temp-root.js';
import { MORE_WRONG_STORES, WRONG_STORES } from './fixture/wrong-stores.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What vitest's JSON report says of a test. */
interface Report {
  ancestorTitles: string[];
  title: string;
  status: string;
  failureMessages: string[];
}

/** Runs the suite on the wrong stores in a vitest of its own. */
async function runOnWrongStores(folder: string): Promise<Report[]> {
  const output = join(folder, 'report.json');
  const vitest = here('../../node_modules/vitest/vitest.mjs');
  const config = here('./fixture/vitest.config.ts');
  const args = ['run', '--config', config, '--reporter=json', `--outputFile=${output}`];
  await new Promise((resolve) => {
    // It exits with a failure, as it should: the report tells which.
    execFile(process.execPath, [vitest, ...args], { env: cleanEnvironment() }, resolve);
  });
  const { testResults } = JSON.parse(await readFile(output, 'utf8'));
  return testResults.flatMap((file: { assertionResults: Report[] }) => file.assertionResults);
}

describe('the conformance kit', () => {
  const folder = sharedTempDir();
  let reports: Report[] = [];
  const of = (group: ConformanceGroup) =>
    reports.filter(({ ancestorTitles }) => ancestorTitles.includes(WRONG_STORES[group].name));

  beforeAll(async () => {
    reports = await runOnWrongStores(folder);
  }, 300_000);

  it.each(MORE_WRONG_STORES.map(([group, { name }]) => [group, name] as const))(
    'finds in its group %s the mistake of %s',
    (group, name) => {
      const failed = reports.filter(
        ({ ancestorTitles, status }) => ancestorTitles.includes(name) && status === 'failed',
      );
      expect(failed.length).toBeGreaterThan(0);
      for (const { ancestorTitles, failureMessages } of failed) {
        expect(ancestorTitles).toContain(group);
        expect(failureMessages.join('\n')).not.toMatch(/timed out|is not a function|Cannot find/);
      }
    },
  );

  it.each(CONFORMANCE_GROUPS)('finds the mistake that its group %s is there for', (group) => {
    const failed = of(group).filter(({ status }) => status === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    for (const { ancestorTitles, failureMessages } of failed) {
      expect(ancestorTitles).toContain(group);
      expect(failureMessages.join('\n')).not.toMatch(/timed out|is not a function|Cannot find/);
    }
  });

  it.each(CONFORMANCE_GROUPS)('skips the groups it is told to, and runs %s alone', (group) => {
    for (const { ancestorTitles, status } of of(group)) {
      expect(status === 'skipped' || status === 'pending').toBe(!ancestorTitles.includes(group));
    }
  });

  it('refuses to skip a group that does not exist', () => {
    expect(() =>
      describeSessionStore('never described', () => Promise.reject(), {
        skip: ['mesages' as ConformanceGroup],
      }),
    ).toThrow(RangeError);
  });
});
