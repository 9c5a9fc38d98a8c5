import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type VerifyFinding, verify } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { fixtureIsAbsent, fixturePath } from '../support/fixtures.js';
import { sessionDir, sessionFile } from '../support/paths.js';
import { tempDir } from '../support/temp-root.js';
import { editRecord, namesBelow, readText, writeText } from '../support/tree.js';
import { fullRoot } from './full-root.js';

const inShort = ({ kind, path }: VerifyFinding) => `${kind} ${path}`;

/** The files of a root but for the engine's own, which have proofs of their own. */
async function recordsOf(root: string) {
  const names = (await namesBelow(root)).filter((name) => !name.endsWith('/'));
  return names.filter((name) => !/^\.store\/(frames|index|lock|progress)$/.test(name));
}

describe('verify of a root that has everything', () => {
  it('finds nothing wrong', async () => {
    const { root } = await fullRoot();
    const names = (await recordsOf(root)).map((path) => path.split('/').at(-1));
    expect(new Set(names).size).toBeGreaterThanOrEqual(11);
    expect(await verify(root)).toStrictEqual([]);
  });

  it.each([
    ['of no JSON', '{\n'],
    ['of another shape', '{"a":1}\n'],
    ['of no UTF-8', new Uint8Array([0xff, 0x0a])],
  ])('finds every single file that is made one %s', async (_, damage) => {
    const { root } = await fullRoot();
    for (const name of await recordsOf(root)) {
      const whole = await readText(root, name);
      await writeText(root, name, damage);
      const found = (await verify(root)).filter(({ path }) => path === name);
      expect(found, name).not.toStrictEqual([]);
      const kind = name.endsWith('.jsonl') ? /^(broken_line|damaged_record)$/ : /^damaged_record$/;
      for (const finding of found) expect(finding.kind, name).toMatch(kind);
      await writeText(root, name, whole);
    }
    expect(await verify(root)).toStrictEqual([]);
  });

  it.each(['.store/intents/x.tmp', '.migration/x.tmp', 'archive/x.tmp'])(
    'finds %s',
    async (name) => {
      const { root } = await fullRoot();
      await writeText(root, name, '');
      expect((await verify(root)).map(inShort)).toStrictEqual([`leftover ${name}`]);
    },
  );
});

describe('verify of handoffs and evictions', () => {
  it.each(['intent', 'evicted'] as const)('finds an %s of another session', async (file) => {
    const { root, ...named } = await fullRoot();
    const key = file === 'intent' ? 'sourceSessionId' : 'sessionId';
    await editRecord(root, named[file], { [key]: 'ses_another' });
    const [found, ...others] = await verify(root);
    expect(found).toMatchObject({ path: named[file], kind: 'damaged_record' });
    expect(found?.detail).toContain('ses_another');
    expect(others).toStrictEqual([]);
  });

  it.each(['intent', 'evicted'] as const)('finds an %s that cannot be read', async (file) => {
    const { root, ...named } = await fullRoot();
    rmSync(join(root, named[file]));
    mkdirSync(join(root, named[file]));
    expect((await verify(root)).map(inShort)).toStrictEqual([`unreadable ${named[file]}`]);
  });

  it.runIf(process.platform === 'linux')('finds a handoff whose process has ended', async () => {
    const { root, intent } = await fullRoot();
    const ended = { pid: process.pid, startTime: '1', bootId: 'an earlier one', copy: '' };
    await editRecord(root, intent, { process: ended });
    expect((await verify(root)).map(inShort)).toStrictEqual([`leftover ${intent}`]);
  });

  it('finds an eviction without a session', async () => {
    const { root, child, evicted } = await fullRoot();
    rmSync(join(root, sessionFile(child)));
    const found = (await verify(root)).map(inShort);
    expect(found).toContain(`orphan ${evicted}`);
    expect(found.filter((line) => line.includes(sessionDir(child)))).toHaveLength(1);
  });
});

describe('verify of bundles', () => {
  it('finds a change of the same length in any file', async () => {
    const { root, bundle } = await fullRoot();
    for (const name of (await namesBelow(join(root, bundle))).map((name) => `${bundle}/${name}`)) {
      const whole = await readText(root, name);
      // Each digit is another one: of a date or a number at least.
      const changed = whole.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
      expect(changed).not.toBe(whole);
      await writeText(root, name, changed);
      const found = (await verify(root)).filter(({ path }) => path === name);
      expect(
        found.map(({ kind }) => kind),
        name,
      ).toContain('damaged_record');
      await writeText(root, name, whole);
    }
  });

  it('finds a file that is missing, and one too many', async () => {
    const { root, bundle } = await fullRoot();
    rmSync(join(root, bundle, 'workspace.json'));
    await writeText(root, `${bundle}/original-summary.json`, '{}');
    expect((await verify(root)).map(inShort)).toStrictEqual([
      `damaged_record ${bundle}/original-summary.json`,
      `damaged_record ${bundle}/workspace.json`,
    ]);
  });

  it.skipIf(fixtureIsAbsent('roots/sdk-0.2.0'))('finds what it can in one of the SDK', async () => {
    const root = join(tempDir(), 'root');
    cpSync(fixturePath('roots/sdk-0.2.0/root'), root, { recursive: true });
    const parts = (await namesBelow(root)).filter((name) => /^archive\/.*\.jsonl?$/.test(name));
    expect(parts.length).toBeGreaterThan(3);
    for (const name of parts) {
      const whole = await readText(root, name);
      await writeText(root, name, '{"a":1}\n');
      expect(
        (await verify(root)).map(({ path }) => path),
        name,
      ).toStrictEqual([name]);
      await writeText(root, name, whole);
    }
    const messages = parts.find((name) => name.endsWith('.jsonl')) as string;
    rmSync(join(root, messages));
    expect((await verify(root)).map(inShort)).toStrictEqual([`damaged_record ${messages}`]);
  });
});
