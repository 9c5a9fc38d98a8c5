import * as namzu from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { runChild } from './support/child.js';
import { tempRoot } from './support/temp-root.js';

const exported = { ...namzu };

const FUNCTIONS = [
  'generateTenantId',
  'generateProjectId',
  'generateThreadId',
  'generateSessionId',
  'generateSubSessionId',
  'generateMessageId',
  'generateHandoffId',
  'generateWorkspaceId',
  'generateSummaryId',
  'generateDeliverableId',
  'generateRunId',
  'generateTaskId',
  'parseProjectId',
  'parseRunId',
  'parseThreadId',
  'createSystemMessage',
  'createUserMessage',
  'createAssistantMessage',
  'createToolMessage',
  'deriveStatus',
  'getChildren',
  'getAncestry',
  'orderChildren',
  'readMarker',
  'writeMarker',
  'acquireMigrationLock',
  'releaseMigrationLock',
  'acceptLegacyThreadId',
  'rejectLegacyPrefix',
] as const;

const CLASSES = [
  'InMemorySessionStore',
  'DiskSessionStore',
  'DefaultFilesystemMigrator',
  'TenantIsolationError',
  'AncestryCycleError',
  'WorkspaceBackendError',
  'HandoffVersionConflict',
  'HandoffLockRejected',
  'DelegationCapacityExceeded',
  'AgentSummaryTooLongError',
  'SessionAlreadySummarizedError',
  'ArtifactRefCycleError',
  'InterventionDepthExceeded',
  'ArchiveNotConfiguredError',
  'SubSessionNotArchivableError',
  'SubSessionNotArchivedError',
  'ArchiveNotFoundError',
  'FilesystemMigrationError',
  'StalePrefixError',
  'StaleSessionError',
  'InvalidIdError',
  'InvalidArgumentError',
  'StoreIoError',
  'CorruptRecordError',
] as const;

const CONSTANTS = [
  'UNKNOWN_TENANT_ID',
  'RUN_EVENT_SCHEMA_VERSION',
  'AGENT_SUMMARY_MAX_CHARS',
  'RETENTION_POLICY_DISABLED',
  'MIGRATION_VERSION',
  'MARKER_REL_PATH',
  'LOCK_REL_PATH',
  'LEGACY_DEFAULT_SESSION_ID',
  'LEGACY_DEFAULT_PROJECT_PREFIX',
  'WINDOW_OPEN',
  'NOOP_FILESYSTEM_MIGRATION_SINK',
  'NOOP_MIGRATION_WARNING_SINK',
] as const;

describe('the package root', () => {
  it.each(FUNCTIONS)('exports the function %s', (name) => {
    expect(exported[name]).toBeTypeOf('function');
  });

  it.each(CLASSES)('exports the class %s', (name) => {
    expect(exported[name]).toBeTypeOf('function');
    expect(exported[name].name).toBe(name);
    expect(() => Reflect.apply(exported[name], undefined, [])).toThrow(TypeError);
  });

  it.each(CONSTANTS)('exports the constant %s', (name) => {
    expect(exported[name]).toBeDefined();
  });
});

describe('import and require', () => {
  it('give the same names, and one set of classes', async () => {
    const answer = (await runChild('import-and-require.mjs')) as Record<string, unknown>;
    expect(answer).toStrictEqual({
      imported: answer.required,
      required: expect.arrayContaining([...FUNCTIONS, ...CLASSES, ...CONSTANTS]),
      different: [],
      storeIsOurs: true,
      errorIsOurs: true,
      errorIsError: true,
    });
  });

  it('work from CommonJS, where an import follows', async () => {
    expect(await runChild('require-only.cjs')).toStrictEqual({
      sameStore: true,
      errorIsTheirs: true,
      name: 'TenantIsolationError',
    });
  });
});

describe('require', () => {
  it('loads four files at most, the compiled core included', async () => {
    const files = (await runChild('required-files.cjs')) as string[];
    expect(files.filter((file) => file.endsWith('.node'))).toHaveLength(1);
    expect(files.length, files.join()).toBeLessThanOrEqual(4);
  });
});

describe('worker threads', () => {
  it('share a root: no message is lost, and one compare-and-set wins', async () => {
    const { reports, stored, version } = (await runChild('threads.mjs', [tempRoot()])) as {
      reports: { won: boolean; ids: string[] }[];
      stored: { id: string; content: string }[];
      version: number;
    };
    expect(reports.map(({ won }) => won).sort()).toStrictEqual([false, false, false, true]);
    expect(version).toBe(1);
    const acknowledged = reports.flatMap(({ ids }) => ids);
    expect(acknowledged).toHaveLength(200);
    expect(stored.map(({ id }) => id).sort()).toStrictEqual([...acknowledged].sort());
    for (const { ids } of reports) {
      const order = stored.map(({ id }) => id).filter((id) => ids.includes(id));
      expect(order, 'each thread’s messages are in its own order').toStrictEqual(ids);
    }
  });

  it('can be terminated while they write: nothing crashes, nothing acknowledged is lost', async () => {
    const { acknowledged, stored } = (await runChild('terminated-threads.mjs', [tempRoot()])) as {
      acknowledged: string[];
      stored: string[];
    };
    expect(acknowledged.length).toBeGreaterThanOrEqual(20);
    expect(acknowledged.filter((id) => !stored.includes(id))).toStrictEqual([]);
  });
});
