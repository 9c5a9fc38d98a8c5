/** A misspelled option is refused, and the known ones are listed. */

import { existsSync } from 'node:fs';
import { ArchivalManager, configureLogger, InMemorySessionStore } from 'namzu-native';
import { tempStore } from 'namzu-native/testing';
import { expect, it } from 'vitest';

const TENANT = 'tnt_a';

it('by every method that takes options', async () => {
  const store = new InMemorySessionStore();
  const project = await store.createProject({ tenantId: TENANT, name: 'x' }, TENANT);
  const session = await store.createSession({ projectId: project.id, currentActor: null }, TENANT);
  const message = { role: 'user', content: 'x' } as const;
  const manager = new ArchivalManager({
    sessionStore: store,
    workspaceRegistry: {} as never,
    archiveBackend: { kind: 'none' } as never,
  });
  const wrong = { idempotencykey: 'k', last: 5, order: 'desc', name: 'y' } as never;
  const calls: (() => Promise<unknown>)[] = [
    () => store.updateProject(project.id, wrong, TENANT),
    () => store.listProjects(TENANT, wrong),
    () => store.listSessionsByProject(project.id, TENANT, wrong),
    () => store.appendMessage(session.id, message, TENANT, wrong),
    () => store.appendMessages(session.id, [message], TENANT, wrong),
    () => store.loadMessages(session.id, TENANT, wrong),
    () => store.loadSessionMessages(session.id, TENANT, wrong),
    async () => {
      for await (const _ of store.streamMessages(session.id, TENANT, wrong)) break;
    },
    () => manager.archive('sub_1', TENANT, wrong),
    () => manager.sweep(project.id, TENANT, wrong),
    async () => configureLogger(wrong),
  ];
  for (const call of calls) {
    const error = await call().then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error, String(call)).toMatchObject({
      name: 'InvalidArgumentError',
      details: { argument: expect.stringMatching(/\.idempotencykey$/) },
    });
    expect(error.details.expected).toMatch(/known keys: [a-zA-Z, ]+$/);
  }
  expect(await store.getProject(project.id, TENANT)).toEqual(project);
  expect(await store.countMessages(session.id, TENANT)).toBe(0);
});

it('but a key that is undefined is as absent', async () => {
  const store = new InMemorySessionStore();
  const page = { limit: 1, cursor: undefined, other: undefined } as never;
  expect(await store.listProjects(TENANT, page)).toEqual({ items: [] });
});

it('a level that there is none of is refused', () => {
  expect(() => configureLogger({ level: 'loud' as never })).toThrow('debug, info, warn, error');
});

it('tempStore is a store in a folder that goes with it', async () => {
  let rootDir = '';
  {
    await using store = tempStore();
    const { id } = await store.createProject({ tenantId: TENANT, name: 'x' }, TENANT);
    expect(await store.getProject(id, TENANT)).toMatchObject({ id });
    rootDir = /rootDir: '([^']+)'/.exec((await import('node:util')).inspect(store))?.[1] ?? '';
    expect(existsSync(rootDir)).toBe(true);
  }
  expect(existsSync(rootDir)).toBe(false);
});
