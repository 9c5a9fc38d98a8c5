import type { CompletionMode, FailureMode, SubSessionKind } from 'namzu-native';
import { TenantIsolationError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejection, rejectionOf } from './support/rejection.mjs';
import { ALPHA, agentOf, BETA, present, UNKNOWN_SESSION, userOf, World } from './support/world.mjs';

const KINDS: readonly SubSessionKind[] = ['agent_spawn', 'user_handoff', 'intervention'];
const FAILURE_MODES: readonly FailureMode[] = ['fail_fast', 'delegate'];
const COMPLETION_MODES: readonly CompletionMode[] = ['summary_ref', 'merge_back'];

export function describeSubSessions(factory: SingleStoreFactory): void {
  describe('sub-sessions', () => {
    it('creates a pending edge with the default modes, no workspace and equal dates', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const child = await world.session();
      const edge = await world.edge(parent, child);
      expect(edge).toStrictEqual({
        id: expect.stringMatching(/^sub_[0-9a-z]{12}$/),
        parentSessionId: parent.id,
        childSessionId: child.id,
        kind: 'agent_spawn',
        status: 'pending',
        spawnedBy: userOf(ALPHA),
        spawnedAt: expect.any(Date),
        failureMode: 'delegate',
        completionMode: 'summary_ref',
        workspaceId: null,
        updatedAt: edge.spawnedAt,
      });
    });

    it('reads an edge back as it was created', async () => {
      const world = await World.in(await factory());
      const edge = await world.edge(await world.session(), await world.session());
      expect(await world.store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    });

    it.each(
      KINDS.flatMap((kind) =>
        FAILURE_MODES.flatMap((failureMode) =>
          COMPLETION_MODES.map((completionMode) => ({ kind, failureMode, completionMode })),
        ),
      ),
    )('keeps $kind, $failureMode and $completionMode', async (modes) => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const child = await world.session();
      const spawnedBy = agentOf(ALPHA);
      const edge = await world.store.createSubSession(
        { parentSessionId: parent.id, childSessionId: child.id, spawnedBy, ...modes },
        ALPHA,
      );
      expect(edge).toMatchObject({ ...modes, spawnedBy });
      expect(await world.store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
    });

    it('takes modes that are undefined for their defaults', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const child = await world.session();
      const params = {
        parentSessionId: parent.id,
        childSessionId: child.id,
        kind: 'agent_spawn' as const,
        spawnedBy: userOf(ALPHA),
        failureMode: undefined,
        completionMode: undefined,
      };
      const edge = await world.store.createSubSession(params as never, ALPHA);
      expect(edge).toMatchObject({ failureMode: 'delegate', completionMode: 'summary_ref' });
    });

    it('leaves both sessions as they were', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const child = await world.session();
      await world.edge(parent, child);
      expect(await world.store.getSession(parent.id, ALPHA)).toStrictEqual(parent);
      expect(await world.store.getSession(child.id, ALPHA)).toStrictEqual(child);
    });

    it('allows several edges between the same two sessions', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const child = await world.session();
      const one = await world.edge(parent, child, 1);
      const two = await world.edge(parent, child, 2);
      expect(await world.store.getChildren(parent.id, ALPHA)).toStrictEqual([one, two]);
    });

    it('answers null for an edge that is not there', async () => {
      const store = await factory();
      expect(await store.getSubSession('sub_nobodyknows1', ALPHA)).toBeNull();
    });

    it.each(['parentSessionId', 'childSessionId'] as const)(
      'refuses an edge whose %s is not there, naming it',
      async (end) => {
        const world = await World.in(await factory());
        const session = await world.session();
        const ends = { parentSessionId: session.id, childSessionId: session.id };
        const error = await rejection(
          world.store.createSubSession(
            { ...ends, [end]: UNKNOWN_SESSION, kind: 'agent_spawn', spawnedBy: userOf(ALPHA) },
            ALPHA,
          ),
        );
        expect(error.message).toContain(UNKNOWN_SESSION);
        expect(error.message).toContain('not found');
        expect(await world.store.getChildren(session.id, ALPHA)).toStrictEqual([]);
      },
    );

    it.each(['parentSessionId', 'childSessionId'] as const)(
      'refuses an edge whose %s belongs to another tenant',
      async (end) => {
        const world = await World.in(await factory());
        const theirs = await (await World.in(world.store, BETA)).session();
        const ours = await world.session();
        const ends = { parentSessionId: ours.id, childSessionId: ours.id, [end]: theirs.id };
        const error = await rejectionOf(
          world.store.createSubSession(
            { ...ends, kind: 'user_handoff', spawnedBy: userOf(ALPHA) },
            ALPHA,
          ),
          TenantIsolationError,
        );
        expect(error.details).toStrictEqual({
          requested: ALPHA,
          resource: `session(${theirs.id})`,
        });
        expect(await world.store.getChildren(ours.id, ALPHA)).toStrictEqual([]);
      },
    );

    it('joins sessions of different projects', async () => {
      const world = await World.in(await factory());
      const elsewhere = await World.in(world.store);
      const parent = await world.session();
      const child = await elsewhere.session();
      const edge = await world.edge(parent, child);
      expect(await world.store.getChildren(parent.id, ALPHA)).toStrictEqual([edge]);
      expect(await world.store.getAncestry(child.id, ALPHA)).toStrictEqual([parent.id, child.id]);
      const view = present(await world.store.drill(child.id, ALPHA));
      expect(view.session.projectId).toBe(elsewhere.project.id);
    });
  });
}
