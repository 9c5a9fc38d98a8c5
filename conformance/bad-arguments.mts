import { InvalidArgumentError, type SessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejectionOf } from './support/rejection.mjs';
import { ALPHA, userOf, World } from './support/world.mjs';

/** The methods of a store as JavaScript sees them: anything goes in. */
export type Untyped = Record<keyof SessionStore, (...args: unknown[]) => Promise<unknown>>;

export function untyped(store: SessionStore): Untyped {
  return store as unknown as Untyped;
}

/** Expects the typed error that names an argument whose name matches. */
export async function expectBadArgument(
  promise: Promise<unknown>,
  argument: RegExp,
): Promise<InvalidArgumentError> {
  const error = await rejectionOf(promise, InvalidArgumentError);
  expect(Object.keys(error.details).sort()).toStrictEqual(['argument', 'expected', 'received']);
  expect(error.details.argument).toMatch(argument);
  expect(error.details.expected).not.toBe('');
  expect(error.message).toContain(error.details.argument);
  expect(error.message).toContain(error.details.expected);
  return error;
}

const NOT_STRINGS = [undefined, null, 42, true, {}, [], Symbol('id'), 7n, () => 'ses_x'];
const NOT_TENANTS = [...NOT_STRINGS, ''];

/** Every method with good arguments before the tenant. */
async function callsOf(store: SessionStore) {
  const world = await World.in(store);
  const session = await world.session();
  const edge = await world.edge(session, session);
  const spawn = { ...edge, kind: 'agent_spawn', spawnedBy: userOf(ALPHA) };
  return {
    createProject: [{ tenantId: ALPHA, name: 'x' }],
    getProject: [world.project.id],
    createSession: [{ projectId: world.project.id, currentActor: null }],
    getSession: [session.id],
    updateSession: [session],
    deleteSession: [session.id],
    createSubSession: [spawn],
    getSubSession: [edge.id],
    updateSubSession: [edge],
    deleteSubSession: [edge.id],
    appendMessage: [session.id, { role: 'user', content: 'x' }],
    loadMessages: [session.id],
    loadSessionMessages: [session.id],
    getChildren: [session.id],
    getAncestry: [session.id],
    drill: [session.id],
    recordSummary: [world.summary(session)],
    getSummary: [session.id],
  } satisfies Record<keyof SessionStore, unknown[]>;
}

const METHODS: readonly (keyof SessionStore)[] = [
  'createProject',
  'getProject',
  'createSession',
  'getSession',
  'updateSession',
  'deleteSession',
  'createSubSession',
  'getSubSession',
  'updateSubSession',
  'deleteSubSession',
  'appendMessage',
  'loadMessages',
  'loadSessionMessages',
  'getChildren',
  'getAncestry',
  'drill',
  'recordSummary',
  'getSummary',
];

const ID_FIRST = METHODS.filter((method) => /^(get|delete|load|append|drill)/.test(method));
const OBJECT_FIRST = METHODS.filter((method) => !ID_FIRST.includes(method));

export function describeBadArguments(factory: SingleStoreFactory): void {
  describe('bad arguments', () => {
    it.each(METHODS)('%s refuses a tenant that is none', async (method) => {
      const store = await factory();
      const args = (await callsOf(store))[method];
      for (const tenant of NOT_TENANTS) {
        await expectBadArgument(untyped(store)[method](...args, tenant), /tenant/i);
      }
      await expectBadArgument(untyped(store)[method](...args), /tenant/i);
    });

    it.each(ID_FIRST)('%s refuses an id that is no string', async (method) => {
      const store = await factory();
      const [, ...rest] = (await callsOf(store))[method];
      for (const id of NOT_STRINGS) {
        await expectBadArgument(untyped(store)[method](id, ...rest, ALPHA), /id$/i);
      }
    });

    it.each(OBJECT_FIRST)('%s refuses a payload that is no object', async (method) => {
      const store = await factory();
      for (const payload of [undefined, null, 42, 'x', true, 7n, Symbol('x')]) {
        await expectBadArgument(untyped(store)[method](payload, ALPHA), /./);
      }
    });

    it('rejects when nothing at all is passed', async () => {
      const store = untyped(await factory());
      for (const method of METHODS) await expectBadArgument(store[method](), /./);
    });

    it('ignores arguments that no method has', async () => {
      const store = untyped(await factory());
      expect(await store.getSession('ses_nobodyknows1', ALPHA, 'more', {})).toBeNull();
    });

    it.each(['0', '', null, Number.NaN, 1.5, {}, true])(
      'refuses the expected owner version %j',
      async (version) => {
        const world = await World.in(await factory());
        const session = await world.session();
        await expectBadArgument(
          untyped(world.store).updateSession({ ...session, status: 'failed' }, ALPHA, version),
          /version/i,
        );
        expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
      },
    );
  });
}
