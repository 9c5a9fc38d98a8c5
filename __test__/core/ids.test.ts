import * as namzu from 'namzu-native';
import { describe, expect, it } from 'vitest';

const exported = { ...namzu };

const GENERATORS = [
  ['generateTenantId', 'tnt_'],
  ['generateProjectId', 'prj_'],
  ['generateThreadId', 'prj_'],
  ['generateSessionId', 'ses_'],
  ['generateSubSessionId', 'sub_'],
  ['generateMessageId', 'msg_'],
  ['generateHandoffId', 'hof_'],
  ['generateWorkspaceId', 'wsp_'],
  ['generateSummaryId', 'sum_'],
  ['generateDeliverableId', 'del_'],
  ['generateRunId', 'run_'],
  ['generateTaskId', 'task_'],
] as const;

describe('id generators', () => {
  it.each(GENERATORS)('%s makes ids of %s and 12 characters', (generator, prefix) => {
    for (let i = 0; i < 100; i += 1) {
      expect(exported[generator]()).toMatch(new RegExp(`^${prefix}[0-9a-z]{12}$`));
    }
  });

  it.each(GENERATORS)('%s never makes the same id twice', (generator) => {
    const ids = Array.from({ length: 2_000 }, () => exported[generator]());
    expect(new Set(ids).size).toBe(2_000);
  });

  it('draws every character alike at every place', () => {
    const samples = 18_000;
    const counts = Array.from({ length: 12 }, () => new Map<string, number>());
    for (let i = 0; i < samples; i += 1) {
      for (const [place, character] of [...namzu.generateSessionId().slice(4)].entries()) {
        const count = counts[place];
        count?.set(character, (count.get(character) ?? 0) + 1);
      }
    }
    // 500 expected each; ten standard deviations of 22 is far beyond chance.
    for (const count of counts) {
      expect(count.size).toBe(36);
      expect(Math.min(...count.values())).toBeGreaterThan(280);
      expect(Math.max(...count.values())).toBeLessThan(720);
    }
  });

  it('ignores arguments, as when passed to map', () => {
    for (const id of [1, 2].map(namzu.generateSessionId)) {
      expect(id).toMatch(/^ses_[0-9a-z]{12}$/);
    }
  });
});

describe('id parsers', () => {
  it.each([
    ['parseProjectId', 'prj_abc'],
    ['parseProjectId', 'prj_A-b_9'],
    ['parseRunId', 'run_abc'],
    ['parseThreadId', 'prj_abc'],
    ['parseThreadId', 'thd_abc'],
  ] as const)('%s answers %j as it is', (parser, raw) => {
    expect(exported[parser](raw)).toBe(raw);
  });

  it.each([
    ['parseProjectId', 'ProjectId', 'prj_', 'ses_abc'],
    ['parseProjectId', 'ProjectId', 'prj_', 'thd_abc'],
    ['parseProjectId', 'ProjectId', 'prj_', 'PRJ_abc'],
    ['parseProjectId', 'ProjectId', 'prj_', 'abc'],
    ['parseProjectId', 'ProjectId', 'prj_', ' prj_abc'],
    ['parseRunId', 'RunId', 'run_', 'prj_abc'],
    ['parseThreadId', 'ThreadId', 'prj_', 'run_abc'],
    ['parseThreadId', 'ThreadId', 'thd_', 'nonsense'],
  ] as const)('%s names %s, %s and the input %j when it throws', (parser, type, prefix, raw) => {
    let thrown: unknown;
    try {
      exported[parser](raw);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Error);
    const { message } = thrown as Error;
    for (const part of [type, prefix, raw]) expect(message).toContain(part);
  });

  it.each(['parseProjectId', 'parseRunId', 'parseThreadId'] as const)(
    '%s throws for an empty text and for what is no text',
    (parser) => {
      const parse = exported[parser] as (raw: unknown) => unknown;
      for (const raw of ['', undefined, null, 42, {}]) expect(() => parse(raw)).toThrow(Error);
    },
  );
});

describe('parsers and guards of ids', () => {
  const PATH_IDS = ['SessionId', 'SubSessionId', 'ArchiveBackendRef'];
  const KINDS: readonly (readonly [string, string])[] = [
    ['TenantId', 'tnt_'],
    ['SessionId', 'ses_'],
    ['SubSessionId', 'sub_'],
    ['MessageId', 'msg_'],
    ['HandoffId', 'hof_'],
    ['WorkspaceId', 'wsp_'],
    ['SummaryId', 'sum_'],
    ['DeliverableId', 'del_'],
    ['TaskId', 'task_'],
    ['UserId', 'usr_'],
    ['AgentId', 'agt_'],
    ['SystemRoleId', 'sys_'],
    ['ArchiveBackendRef', 'arc_'],
    ['MemoryStoreRef', 'mms_'],
    ['VaultRef', 'vlt_'],
    ['KnowledgeBaseRef', 'kbs_'],
  ];
  const functions = namzu as unknown as Record<string, (raw: unknown) => unknown>;

  it.each(KINDS)('%s', (kind, prefix) => {
    const [parse, is] = [functions[`parse${kind}`], functions[`is${kind}`]];
    for (const good of [`${prefix}a`, `${prefix}A-b_9`, `${prefix}${'x'.repeat(124)}`]) {
      expect([parse?.(good), is?.(good)]).toEqual([good, true]);
    }
    const paths = [`${prefix}../x`, `${prefix}é`, `${prefix}${'x'.repeat(125)}`];
    const isPathId = PATH_IDS.includes(kind);
    for (const raw of paths) expect(is?.(raw)).toBe(!isPathId);
    const bad = [prefix, '', 'x', ` ${prefix}a`, 42, null, undefined, {}, Symbol('x')];
    for (const raw of isPathId ? [...bad, ...paths] : bad) {
      expect(is?.(raw)).toBe(false);
      expect(() => parse?.(raw)).toThrow(namzu.InvalidIdError);
      expect(() => parse?.(raw)).toThrow(
        expect.objectContaining({
          code: 'NAMZU_INVALID_ID',
          details: { kind, value: String(raw), expected: expect.stringContaining(prefix) },
        }),
      );
    }
  });

  it('projects and runs are known by their prefix alone', () => {
    for (const raw of ['prj_', 'prj_ä/b']) {
      expect([namzu.parseProjectId(raw), namzu.isProjectId(raw)]).toEqual([raw, true]);
    }
    expect([namzu.parseRunId('run_'), namzu.isRunId('run_')]).toEqual(['run_', true]);
    for (const parse of [namzu.parseProjectId, namzu.parseRunId, namzu.parseThreadId]) {
      expect(() => parse('x')).toThrow(namzu.InvalidIdError);
    }
    expect([namzu.isProjectId('thd_a'), namzu.isRunId(7)]).toEqual([false, false]);
  });
});

describe('constants', () => {
  it('have the values of the contract', () => {
    expect(namzu.UNKNOWN_TENANT_ID).toBe('tnt_unknown_legacy');
    expect(namzu.RUN_EVENT_SCHEMA_VERSION).toBe(2);
    expect(namzu.AGENT_SUMMARY_MAX_CHARS).toBe(4000);
  });

  it('include a retention policy that is empty and frozen', () => {
    expect(namzu.RETENTION_POLICY_DISABLED).toStrictEqual({});
    expect(Object.isFrozen(namzu.RETENTION_POLICY_DISABLED)).toBe(true);
  });
});
