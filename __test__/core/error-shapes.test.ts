/** What every error of the package has, for a program and for a log to read. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as namzu from 'namzu-native';
import {
  AttachedSubSessionsError,
  CorruptRecordError,
  DiskArchiveBackend,
  DiskSessionStore,
  InMemorySessionStore,
  InvalidArgumentError,
  NotFoundError,
  StoreClosedError,
  StoreError,
  StoreIoError,
  TenantIsolationError,
  WorkspaceBackendError,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { tempDir } from '../support/temp-root.js';

type AnyErrorClass = new (details: object) => Error & { code: string; toJSON(): object };

const CLASSES = Object.entries(namzu).filter(
  ([name, value]) =>
    name !== 'StoreError' && typeof value === 'function' && value.prototype instanceof Error,
) as unknown as [string, AnyErrorClass][];

/** Details that every class can make a message of. */
const DETAILS = {
  cyclePath: [],
  value: 'x',
  key: 'k',
  rawId: 'x',
  kind: 'session',
  id: 'ses_1',
  edges: [],
  differing: [],
};

describe('every error class', () => {
  it('is there', () => {
    expect(CLASSES.length).toBeGreaterThan(24);
  });

  it.each(CLASSES)(
    '%s keeps its name in a copy and in a log, and has a code',
    (name, ErrorClass) => {
      const error = new ErrorClass(DETAILS);
      expect(Object.keys(error)).toContain('name');
      expect({ ...error }).toMatchObject({ name });
      const words = name.replace(/Error$/, '').replace(/([a-z])([A-Z])/g, '$1_$2');
      expect(error.code).toBe(`NAMZU_${words.toUpperCase()}`);
      const told = JSON.parse(JSON.stringify(error));
      expect(told).toMatchObject({ name, message: error.message, code: error.code });
      expect(error.stack?.split('\n')[0]).toContain(name);
    },
  );
});

it('JSON has the name, message, code and details of TenantIsolationError', () => {
  const details = { requested: 'tnt_a' as const, resource: 'session(ses_1)' };
  const error = new TenantIsolationError(details);
  expect(Object.keys(error)).toEqual(['name', 'details']);
  expect({ ...error }).toEqual({ name: 'TenantIsolationError', details });
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'TenantIsolationError',
    message: error.message,
    code: 'NAMZU_TENANT_ISOLATION',
    details,
  });
});

it.each([
  [new TypeError('no'), { name: 'TypeError', message: 'no' }],
  [{ plain: true }, { plain: true }],
  [10n, '10'],
  [circle({}), '[object Object]'],
  [circle(Object.create(null)), 'something that has no text'],
])('JSON has a cause, whatever it is: %s', (cause, expected) => {
  const error = new WorkspaceBackendError({ op: 'create', kind: 'shared', cause });
  expect(JSON.parse(JSON.stringify(error)).details.cause).toEqual(expected);
});

/** What leads to itself, which JSON cannot say. */
function circle<T extends object>(one: T): T {
  return Object.assign(one, { again: one });
}

it('JSON has every detail, of any type that was given', () => {
  const error = new InvalidArgumentError({ argument: 'x', expected: 'a string', received: '10n' });
  Object.assign(error.details, { received: [10n] });
  expect(JSON.parse(JSON.stringify(error)).details).toMatchObject({ received: '10' });
});

const TENANT = 'tnt_a';
const STORES = [
  ['memory', () => new InMemorySessionStore()],
  ['disk', () => new DiskSessionStore({ rootDir: tempDir(), durability: 'relaxed' })],
] as const;

describe.each(STORES)('the %s store', (_, open) => {
  it('says what was not found', async () => {
    const store = open();
    const cases: [Promise<unknown>, string, string][] = [
      [
        store.createSession({ projectId: 'prj_none', currentActor: null }, TENANT),
        'project',
        'prj_none',
      ],
      [
        store.appendMessage('ses_none', { role: 'user', content: 'x' }, TENANT),
        'session',
        'ses_none',
      ],
    ];
    const errors = await Promise.all(cases.map(([call]) => rejectionOf(call, NotFoundError)));
    for (const [at, [, kind, id]] of cases.entries()) {
      const error = errors[at] as NotFoundError;
      expect(error.details).toStrictEqual({ kind, id });
      expect(error.code).toBe('NAMZU_NOT_FOUND');
      expect(error.message.toLowerCase()).toBe(`${kind} ${id} not found`);
    }
    await store.close();
  });

  it('says which sub-sessions are attached', async () => {
    const store = open();
    const project = await store.createProject({ tenantId: TENANT, name: 'x' }, TENANT);
    const make = () => store.createSession({ projectId: project.id, currentActor: null }, TENANT);
    const [parent, middle, child] = [await make(), await make(), await make()];
    const edge = async (from: typeof parent, to: typeof parent) => {
      const spawnedBy = { kind: 'user', userId: 'usr_1', tenantId: TENANT } as const;
      const ids = { parentSessionId: from.id, childSessionId: to.id };
      return store.createSubSession({ ...ids, kind: 'agent_spawn', spawnedBy }, TENANT);
    };
    const edges = [await edge(middle, child), await edge(parent, middle)];
    const deleted = store.deleteSession(middle.id, TENANT);
    const error = await rejectionOf(deleted, AttachedSubSessionsError);
    expect(error.details).toStrictEqual({
      sessionId: middle.id,
      edges: edges.map(({ id }) => id),
    });
    expect(error.message).toContain('attached sub-sessions');
    expect(await store.getSession(middle.id, TENANT)).not.toBeNull();
    await store.close();
  });
});

it('a registry says which driver is missing', () => {
  const get = () => new WorkspaceBackendRegistry().get('tmpfs');
  expect(get).toThrow(NotFoundError);
  expect(get).toThrow('No workspace driver is registered for "tmpfs"');
});

describe('an error of a store names its place', () => {
  it('where the system refused', async () => {
    const place = join(tempDir(), 'file');
    writeFileSync(place, 'not a directory');
    const store = new DiskSessionStore({ rootDir: place });
    const created = store.createProject({ tenantId: TENANT, name: 'x' }, TENANT);
    const read = store.getSession('ses_1', TENANT);
    const bundles = new DiskArchiveBackend({ rootDir: place }).store({
      subSessionId: 'sub_1',
      sessionId: 'ses_1',
      tenantId: TENANT,
      messages: [],
    });
    const checked = namzu.verify(place);
    const calls = [created, read, bundles, checked];
    for (const error of await Promise.all(calls.map((c) => rejectionOf(c, StoreIoError)))) {
      expect(error).toBeInstanceOf(StoreError);
      expect([error.place, error.details.place]).toEqual([place, place]);
      expect([error.op, error.outcome]).toEqual([error.details.op, 'not_done']);
      expect(error.message).toContain(`\`${place}\``);
      expect(error.message).not.toContain('`.`');
    }
  });

  it('where a record is damaged', async () => {
    const place = tempDir();
    const store = new DiskSessionStore({ rootDir: place });
    const { id } = await store.createProject({ tenantId: TENANT, name: 'x' }, TENANT);
    await store.close();
    const path = `projects/${id}/project.json`;
    expect(existsSync(join(place, path))).toBe(true);
    writeFileSync(join(place, path), 'damaged');
    const again = new DiskSessionStore({ rootDir: place });
    const error = await rejectionOf(again.getProject(id, TENANT), CorruptRecordError);
    expect(error).toBeInstanceOf(StoreError);
    expect(error.place).toBe(place);
    expect(error.message).toContain(`\`${path}\` of \`${place}\``);
    expect(error.details.path).toBe(path);
  });

  it('where it was closed', async () => {
    const place = tempDir();
    const store = new DiskSessionStore({ rootDir: place });
    await store.close();
    const calls = [
      store.getProject('prj_1', TENANT),
      store.createProject({ tenantId: TENANT, name: 'x' }, TENANT),
    ];
    for (const error of await Promise.all(calls.map((c) => rejectionOf(c, StoreClosedError)))) {
      expect(error).toBeInstanceOf(StoreError);
      expect(error.place).toBe(place);
      expect(error.message).toContain(place);
    }
    const memory = new InMemorySessionStore();
    await memory.close();
    const error = await rejectionOf(memory.getProject('prj_1', TENANT), StoreClosedError);
    expect(error.place).toBeUndefined();
    expect(error.message).toBe('The store is closed; make a new one to go on');
  });
});
