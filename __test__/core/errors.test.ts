import * as namzu from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';

const exported = { ...namzu };

type AnyErrorClass = new (details?: never) => Error & { details?: unknown };

/** Every class, details that an application could construct it with, and texts of its message. */
const ERRORS: readonly [keyof typeof exported, object, readonly string[]][] = [
  [
    'TenantIsolationError',
    { requested: 'tnt_a', resource: 'session(ses_1)' },
    ['tnt_a', 'session(ses_1)'],
  ],
  [
    'AncestryCycleError',
    { sessionId: 'ses_1', cyclePath: ['ses_1', 'ses_2', 'ses_1'] },
    ['cycle', 'ses_1'],
  ],
  [
    'WorkspaceBackendError',
    { op: 'create', kind: 'git-worktree', cause: new Error('first') },
    ['Workspace backend git-worktree failed on create'],
  ],
  [
    'WorkspaceBackendError',
    { op: 'inspect:list', kind: 'tmpfs' },
    ['Workspace backend tmpfs failed on inspect:list'],
  ],
  [
    'HandoffVersionConflict',
    { sessionId: 'ses_1', expected: 31, actual: 47 },
    ['ses_1', '31', '47'],
  ],
  [
    'HandoffLockRejected',
    { sessionId: 'ses_1', reason: 'pending_hitl' },
    ['ses_1', 'pending_hitl'],
  ],
  [
    'HandoffLockRejected',
    { sessionId: 'ses_1', reason: 'active_run', runId: 'run_1' },
    ['ses_1', 'active_run'],
  ],
  [
    'DelegationCapacityExceeded',
    { dimension: 'width', current: 91, limit: 83, sessionId: 'ses_1' },
    ['Delegation capacity exceeded', 'ses_1', '91', '83'],
  ],
  ['AgentSummaryTooLongError', { actual: 4711, max: 4000 }, ['4711', '4000']],
  [
    'SessionAlreadySummarizedError',
    { sessionId: 'ses_1', existingSummaryId: 'sum_1' },
    ['ses_1', 'sum_1'],
  ],
  [
    'ArtifactRefCycleError',
    { startSubSessionId: 'sub_1', cyclePath: ['sub_1', 'sub_2', 'sub_1'] },
    ['sub_1', 'sub_2'],
  ],
  ['InterventionDepthExceeded', { subSessionId: 'sub_1', depth: 17, limit: 13 }, ['17', '13']],
  [
    'SubSessionNotArchivableError',
    { subSessionId: 'sub_1', reason: 'already_archived' },
    ['sub_1', 'already_archived'],
  ],
  [
    'SubSessionNotArchivedError',
    { subSessionId: 'sub_1', reason: 'missing_archive_ref' },
    ['sub_1', 'missing_archive_ref'],
  ],
  ['ArchiveNotFoundError', { archiveRef: 'arc_1', reason: 'incomplete' }, ['arc_1', 'incomplete']],
  [
    'FilesystemMigrationError',
    { op: 'rename_runs', path: 'threads/thd_1/runs', cause: new Error('first') },
    ['rename_runs', 'threads/thd_1/runs'],
  ],
  ['StalePrefixError', { rawId: 'thd_abc', kind: 'thd_rejected' }, ['thd_']],
  [
    'StaleSessionError',
    { sessionId: 'ses_1', expectedVersion: 31, actualVersion: 47 },
    ['ses_1', '31', '47'],
  ],
  [
    'InvalidIdError',
    { kind: 'SessionId', value: '../x', expected: 'ses_ and letters' },
    ['ses_ and letters'],
  ],
  [
    'InvalidArgumentError',
    { argument: 'sessionId', expected: 'a string', received: 'number' },
    ['sessionId', 'a string'],
  ],
  [
    'StoreIoError',
    { op: 'rename', path: 'projects/x', code: 'ENOSPC', outcome: 'unknown' },
    ['rename', 'ENOSPC'],
  ],
  [
    'CorruptRecordError',
    { path: 'projects/x/project.json', reason: 'schemaVersion' },
    ['projects/x/project.json', 'schemaVersion'],
  ],
  [
    'CorruptRecordError',
    { path: 'a/messages.jsonl', line: 7, reason: 'not JSON' },
    ['a/messages.jsonl', 'not JSON'],
  ],
];

function construct(name: keyof typeof exported, details?: object) {
  const ErrorClass = exported[name] as unknown as AnyErrorClass;
  return { ErrorClass, error: new ErrorClass(details as never) };
}

describe('error classes', () => {
  it.each(ERRORS)('%s can be constructed with %j', (name, details, fragments) => {
    const { ErrorClass, error } = construct(name, details);
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
    expect(ErrorClass.name).toBe(name);
    expect(error.details).toStrictEqual(details);
    for (const fragment of fragments) expect(error.message).toContain(fragment);
    expect(String(error)).toBe(`${name}: ${error.message}`);
    expect(error.stack).toContain('errors.test.ts');
  });

  it('keep a cause as the object it is', () => {
    const cause = new Error('first');
    const { error } = construct('WorkspaceBackendError', { op: 'dispose', kind: 'shared', cause });
    expect((error.details as { cause: unknown }).cause).toBe(cause);
  });

  it('include one without details, constructed without arguments', () => {
    const { ErrorClass, error } = construct('ArchiveNotConfiguredError');
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('ArchiveNotConfiguredError');
    expect(error.message).toContain('not configured');
    expect(error.details).toBeUndefined();
  });

  it('are distinct: an instance of one is no instance of another', () => {
    const names = [...new Set(ERRORS.map(([name]) => name))];
    for (const [name, details] of ERRORS) {
      const { error } = construct(name, details);
      const matching = names.filter(
        (other) => error instanceof (exported[other] as unknown as AnyErrorClass),
      );
      expect(matching).toStrictEqual([name]);
    }
  });

  it('can be subclassed by an application', () => {
    class Mine extends namzu.TenantIsolationError {
      readonly extra = 1;
    }
    const error = new Mine({ requested: 'tnt_a', resource: 'session(ses_1)' });
    expect(error).toBeInstanceOf(Mine);
    expect(error).toBeInstanceOf(namzu.TenantIsolationError);
    expect(error.extra).toBe(1);
    expect(error.details.requested).toBe('tnt_a');
  });
});

describe('an error that a store throws', () => {
  it('has a stack that reaches the caller', async () => {
    async function applicationCode() {
      const store = new namzu.InMemorySessionStore();
      return await store.createProject({ tenantId: 'tnt_a', name: 'x' }, 'tnt_b');
    }
    const error = await rejectionOf(applicationCode(), namzu.TenantIsolationError);
    expect(error.stack).toContain('applicationCode');
  });
});
