import { describe, expect, it } from 'vitest';
import { expectBadArgument, untyped } from './bad-arguments.mjs';
import type { SingleStoreFactory } from './index.mjs';
import { ALPHA, userOf, World } from './support/world.mjs';

const circular: Record<string, unknown> = { role: 'user', content: 'x' };
circular.self = circular;

const NOT_MESSAGES: readonly [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a string', 'hello'],
  ['a number', 42],
  ['a boolean', true],
  ['a function', () => 'x'],
  ['a symbol', Symbol('x')],
  ['a circular object', circular],
  ['an object with a BigInt', { role: 'user', content: 'x', big: 7n }],
  ['an object that toJSON turns into nothing', { toJSON: () => undefined }],
  ['an object that toJSON turns into text', { toJSON: () => 'text' }],
];

const BAD_ACTORS: readonly unknown[] = [
  'usr_ada',
  42,
  {},
  { kind: 'robot', tenantId: ALPHA },
  { kind: 'user', tenantId: ALPHA },
  { kind: 'user', userId: 42, tenantId: ALPHA },
  { kind: 'user', userId: 'usr_ada' },
  { kind: 'agent', agentId: 'agt_x', tenantId: ALPHA, parentActor: { kind: 'user' } },
  { kind: 'system', tenantId: ALPHA },
];

const BAD_SESSION_FIELDS: readonly [string, unknown][] = [
  ['status', 'asleep'],
  ['status', undefined],
  ['ownerVersion', '1'],
  ['ownerVersion', Number.NaN],
  ['ownerVersion', undefined],
  ['currentActor', 'usr_ada'],
  ['previousActors', null],
  ['previousActors', {}],
  ['previousActors', [null]],
  ['workspaceId', 42],
  ['createdAt', new Date(Number.NaN)],
  ['createdAt', undefined],
  ['createdAt', 0],
  ['tenantId', undefined],
  ['id', undefined],
  ['id', 42],
];

const BAD_EDGE_FIELDS: readonly [string, unknown][] = [
  ['status', 'asleep'],
  ['kind', 'clone'],
  ['failureMode', 'explode'],
  ['completionMode', ''],
  ['spawnedBy', null],
  ['spawnedBy', { kind: 'user' }],
  ['spawnedAt', new Date(Number.NaN)],
  ['spawnedAt', undefined],
  ['archivedAt', new Date(Number.NaN)],
  ['workspaceId', 42],
  ['parentSessionId', 42],
  ['childSessionId', undefined],
  ['summaryRef', 42],
  ['id', undefined],
];

const BAD_SUMMARY_FIELDS: readonly [string, unknown][] = [
  ['id', undefined],
  ['id', 42],
  ['sessionRef', undefined],
  ['tenantId', undefined],
  ['outcome', { status: 'great' }],
  ['outcome', null],
  ['deliverables', null],
  ['deliverables', [{ kind: 'spaceship', id: 'del_1' }]],
  ['agentSummary', 42],
  ['keyDecisions', [{ at: new Date(Number.NaN), summary: 'x' }]],
  ['keyDecisions', undefined],
  ['at', new Date(Number.NaN)],
];

export function describeBadPayloads(factory: SingleStoreFactory): void {
  describe('bad payloads', () => {
    it.each(NOT_MESSAGES)('appendMessage refuses %s and appends nothing', async (_, message) => {
      const world = await World.in(await factory());
      const session = await world.session();
      await expectBadArgument(
        untyped(world.store).appendMessage(session.id, message, ALPHA),
        /message/i,
      );
      expect(await world.store.loadMessages(session.id, ALPHA)).toStrictEqual([]);
    });

    it.each([undefined, null, '', 42])(
      'createProject refuses the tenant %j in its parameters',
      async (tenantId) => {
        const store = untyped(await factory());
        await expectBadArgument(store.createProject({ tenantId, name: 'x' }, ALPHA), /tenant/i);
      },
    );

    it.each([undefined, null, 42, {}])('createProject refuses the name %j', async (name) => {
      const store = untyped(await factory());
      await expectBadArgument(store.createProject({ tenantId: ALPHA, name }, ALPHA), /name/);
    });

    it.each([undefined, 42])('createSession refuses the project %j', async (projectId) => {
      const store = untyped(await factory());
      await expectBadArgument(
        store.createSession({ projectId, currentActor: null }, ALPHA),
        /project/i,
      );
    });

    it.each(BAD_ACTORS)('createSession refuses the actor %j', async (currentActor) => {
      const world = await World.in(await factory());
      await expectBadArgument(
        untyped(world.store).createSession({ projectId: world.project.id, currentActor }, ALPHA),
        /actor/i,
      );
    });

    it.each([
      ['parentSessionId', 42],
      ['childSessionId', undefined],
      ['kind', 'clone'],
      ['kind', undefined],
      ['spawnedBy', null],
      ['spawnedBy', {}],
      ['failureMode', 'explode'],
      ['completionMode', 42],
    ])('createSubSession refuses %s = %j', async (field, value) => {
      const world = await World.in(await factory());
      const { id } = await world.session();
      const good = {
        parentSessionId: id,
        childSessionId: id,
        kind: 'agent_spawn',
        spawnedBy: userOf(ALPHA),
      };
      await expectBadArgument(
        untyped(world.store).createSubSession({ ...good, [field]: value }, ALPHA),
        new RegExp(field),
      );
      expect(await world.store.getChildren(id, ALPHA)).toStrictEqual([]);
    });

    it.each(BAD_SESSION_FIELDS)('updateSession refuses %s = %j', async (field, value) => {
      const world = await World.in(await factory());
      const session = await world.session();
      await expectBadArgument(
        untyped(world.store).updateSession({ ...session, [field]: value }, ALPHA),
        new RegExp(field),
      );
      expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
    });

    it.each(BAD_EDGE_FIELDS)('updateSubSession refuses %s = %j', async (field, value) => {
      const world = await World.in(await factory());
      const session = await world.session();
      const edge = await world.edge(session, session);
      await expectBadArgument(
        untyped(world.store).updateSubSession({ ...edge, [field]: value }, ALPHA),
        new RegExp(field),
      );
      expect(await world.store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    });

    it.each(BAD_SUMMARY_FIELDS)('recordSummary refuses %s = %j', async (field, value) => {
      const world = await World.in(await factory());
      const session = await world.changeSession(await world.session(), { status: 'active' });
      const summary = { ...world.summary(session), [field]: value };
      await expectBadArgument(
        untyped(world.store).recordSummary(summary, ALPHA),
        new RegExp(field),
      );
      expect(await world.store.getSummary(session.id, ALPHA)).toBeNull();
      expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
    });
  });
}
