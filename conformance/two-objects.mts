import { type SessionStore, StaleSessionError } from 'namzu-native';
import { describe, expect, it, type TestContext } from 'vitest';
import type { StoreFactory, StorePair } from './index.mjs';
import { rejection } from './support/rejection.mjs';
import { ALPHA, present, World } from './support/world.mjs';

const CALLS = 40;
const ROUNDS = 20;

/** What holds for two objects over the same data, as two processes of an application have them. */
export function describeTwoObjects(factory: StoreFactory): void {
  /** Both objects; skips the test where the factory answers one only. */
  const both = async (context: TestContext): Promise<StorePair> => {
    const made = await factory();
    if (!isPair(made)) context.skip('the factory answers no second object over the same data');
    return made as StorePair;
  };
  const inTurns = ({ store, second }: StorePair, n: number) => (n % 2 === 0 ? store : second);

  describe('two objects over the same data', () => {
    it('read what the other one wrote, as soon as that was answered', async (context) => {
      const pair = await both(context);
      const world = await World.in(pair.store);
      let session = await world.session();
      for (let version = 1; version <= ROUNDS; version += 1) {
        const [writer, reader] = [inTurns(pair, version), inTurns(pair, version + 1)];
        expect(await reader.getSession(session.id, ALPHA)).toMatchObject({
          ownerVersion: version - 1,
        });
        await writer.updateSession({ ...session, ownerVersion: version }, ALPHA, version - 1);
        session = present(await reader.getSession(session.id, ALPHA));
        expect(session.ownerVersion).toBe(version);
        await writer.appendMessage(session.id, { role: 'user', content: `${version}` }, ALPHA);
        expect(await reader.loadMessages(session.id, ALPHA)).toHaveLength(version);
        const child = await world.session();
        const edge = await writer.createSubSession(edgeOf(session.id, child.id), ALPHA);
        const children = await reader.getChildren(session.id, ALPHA);
        expect(children.map(({ id }) => id)).toContain(edge.id);
        expect(await reader.getAncestry(child.id, ALPHA)).toStrictEqual([session.id, child.id]);
      }
    });

    it('read what the other one changed, though they read it before', async (context) => {
      const pair = await both(context);
      const world = await World.in(pair.store);
      const [parent, child] = [await world.session(), await world.session()];
      const edge = await world.edge(parent, child);
      const reads = async (store: SessionStore) => ({
        edge: await store.getSubSession(edge.id, ALPHA),
        children: await store.getChildren(parent.id, ALPHA),
        drill: await store.drill(parent.id, ALPHA),
        messages: await store.loadMessages(parent.id, ALPHA),
        envelopes: await store.loadSessionMessages(parent.id, ALPHA),
      });
      for (let round = 1; round <= ROUNDS; round += 1) {
        const [writer, reader] = [inTurns(pair, round), inTurns(pair, round + 1)];
        await reads(reader);
        const status = round % 2 === 0 ? 'idle' : 'active';
        await writer.updateSubSession({ ...edge, status }, ALPHA);
        await writer.appendMessage(parent.id, { role: 'user', content: `${round}` }, ALPHA);
        const read = await reads(reader);
        expect(read).toStrictEqual(await reads(writer));
        expect(read.edge?.status).toBe(status);
        expect(read.children.map((child) => child.status)).toStrictEqual([status]);
        expect(read.drill?.children.map((child) => child.status)).toStrictEqual([status]);
        expect([read.messages.length, read.envelopes.length]).toStrictEqual([round, round]);
      }
    });

    it('keep every message that both append at once', async (context) => {
      const pair = await both(context);
      const session = await (await World.in(pair.store)).session();
      const ids = await Promise.all(
        Array.from({ length: CALLS }, (_, n) =>
          inTurns(pair, n).appendMessage(session.id, { role: 'user', content: `${n}` }, ALPHA),
        ),
      );
      for (const store of [pair.store, pair.second]) {
        const kept = await store.loadSessionMessages(session.id, ALPHA);
        expect(kept.map(({ id }) => id).sort()).toStrictEqual([...ids].sort());
      }
    });

    it('let one compare-and-set update win of those that both send at once', async (context) => {
      const pair = await both(context);
      for (let round = 0; round < ROUNDS; round += 1) {
        const session = await (await World.in(pair.store)).session();
        const settled = await Promise.allSettled(
          Array.from({ length: CALLS }, (_, n) => {
            const next = { ...session, ownerVersion: 1, workspaceId: `wsp_${n}` } as const;
            return inTurns(pair, n).updateSession(next, ALPHA, 0);
          }),
        );
        const won = settled.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []));
        expect(won).toHaveLength(1);
        for (const outcome of settled) {
          if (outcome.status === 'rejected')
            expect(outcome.reason).toBeInstanceOf(StaleSessionError);
        }
        for (const store of [pair.store, pair.second]) {
          const workspaceId = `wsp_${won[0]}`;
          expect(await store.getSession(session.id, ALPHA)).toMatchObject({ workspaceId });
        }
      }
    });

    it('refuse what the other one has made stale', async (context) => {
      const { store, second } = await both(context);
      const session = await (await World.in(store)).session();
      expect(await second.getSession(session.id, ALPHA)).toStrictEqual(session);
      await store.updateSession({ ...session, ownerVersion: 7 }, ALPHA, 0);
      const error = await rejection(
        second.updateSession({ ...session, ownerVersion: 1 }, ALPHA, 0),
      );
      expect(error).toBeInstanceOf(StaleSessionError);
      expect((error as StaleSessionError).details).toStrictEqual({
        sessionId: session.id,
        expectedVersion: 0,
        actualVersion: 7,
      });
    });

    it('record one summary of those that both send, and end the work with it', async (context) => {
      const pair = await both(context);
      const world = await World.in(pair.store);
      for (let round = 0; round < ROUNDS; round += 1) {
        const session = await world.changeSession(await world.session(), { status: 'active' });
        let done = false;
        const watched = (async () => {
          // The summary and the end of the work are one step: no reader sees one alone.
          while (!done) {
            const summary = await pair.second.getSummary(session.id, ALPHA);
            const status = (await pair.second.getSession(session.id, ALPHA))?.status;
            expect(summary === null || status === 'idle', `summarized, and ${status}`).toBe(true);
            await new Promise((resolve) => setImmediate(resolve));
          }
        })();
        const settled = await Promise.allSettled(
          Array.from({ length: 8 }, (_, n) =>
            inTurns(pair, n).recordSummary(world.summary(session), ALPHA),
          ),
        );
        done = true;
        await watched;
        expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      }
    });

    it('delete no session that the other one attaches meanwhile', async (context) => {
      const { store, second } = await both(context);
      const world = await World.in(store);
      const parent = await world.session();
      for (let round = 0; round < ROUNDS; round += 1) {
        const child = await world.session();
        const [edge, deletion] = await Promise.allSettled([
          store.createSubSession(edgeOf(parent.id, child.id), ALPHA),
          second.deleteSession(child.id, ALPHA),
        ]);
        expect([edge.status, deletion.status].sort()).toStrictEqual(['fulfilled', 'rejected']);
      }
    });
  });
}

/** Whether a factory answered two objects. */
export function isPair(made: SessionStore | StorePair): made is StorePair {
  return 'store' in made && 'second' in made;
}

function edgeOf(parentSessionId: `ses_${string}`, childSessionId: `ses_${string}`) {
  const spawnedBy = { kind: 'system', role: 'sys_kit', tenantId: ALPHA } as const;
  return { parentSessionId, childSessionId, kind: 'agent_spawn', spawnedBy } as const;
}
