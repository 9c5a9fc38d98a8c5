import { StaleSessionError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { rejection } from './support/rejection.mjs';
import { ALPHA, present, World } from './support/world.mjs';

const times = <T,>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

function outcomes(settled: readonly PromiseSettledResult<unknown>[]) {
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  return { won: settled.length - reasons.length, reasons: reasons as Error[] };
}

export function describeConcurrency(factory: SingleStoreFactory): void {
  describe('concurrent calls', () => {
    it('keeps each of 200 messages appended at once, once', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const ids = await Promise.all(
        times(200, (i) =>
          world.store.appendMessage(session.id, { role: 'user', content: `${i}` }, ALPHA),
        ),
      );
      const stored = await world.store.loadSessionMessages(session.id, ALPHA);
      expect(stored.map(({ id }) => id).sort()).toStrictEqual([...ids].sort());
      expect(new Set(stored.map(({ message }) => message.content)).size).toBe(200);
    });

    it('lets exactly one of 50 compare-and-set updates win', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const settled = await Promise.allSettled(
        times(50, (i) =>
          world.store.updateSession(
            { ...session, ownerVersion: 1, workspaceId: `wsp_${i}` },
            ALPHA,
            0,
          ),
        ),
      );
      const { won, reasons } = outcomes(settled);
      expect(won).toBe(1);
      for (const reason of reasons) {
        expect(reason).toBeInstanceOf(StaleSessionError);
        expect((reason as StaleSessionError).details).toStrictEqual({
          sessionId: session.id,
          expectedVersion: 0,
          actualVersion: 1,
        });
      }
      const winner = settled.findIndex(({ status }) => status === 'fulfilled');
      expect(await world.store.getSession(session.id, ALPHA)).toMatchObject({
        ownerVersion: 1,
        workspaceId: `wsp_${winner}`,
      });
    });

    it('loses no increment when everyone retries', async () => {
      const world = await World.in(await factory());
      const { id } = await world.session();
      const increment = async () => {
        // 20 attempts at the most: in each round at least one of 20 succeeds.
        for (let attempt = 0; attempt < 20; attempt += 1) {
          const session = present(await world.store.getSession(id, ALPHA));
          const { ownerVersion } = session;
          const next = { ...session, ownerVersion: ownerVersion + 1 };
          try {
            return await world.store.updateSession(next, ALPHA, ownerVersion);
          } catch (error) {
            if (!(error instanceof StaleSessionError)) throw error;
          }
        }
        throw new Error('lost against others more often than there are others');
      };
      await Promise.all(times(20, increment));
      expect((await world.store.getSession(id, ALPHA))?.ownerVersion).toBe(20);
    });

    it('records exactly one of 20 summaries', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const settled = await Promise.allSettled(
        times(20, () => world.store.recordSummary(world.summary(session), ALPHA)),
      );
      const { won, reasons } = outcomes(settled);
      expect(won).toBe(1);
      expect(new Set(reasons.map(({ name }) => name))).toStrictEqual(
        new Set(['SessionAlreadySummarizedError']),
      );
    });

    it('creates sessions and edges at once, each under an id of its own', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const sessions = await Promise.all(times(50, () => world.session()));
      const edges = await Promise.all(sessions.map((child) => world.edge(parent, child)));
      expect(new Set(sessions.map(({ id }) => id)).size).toBe(50);
      const children = await world.store.getChildren(parent.id, ALPHA);
      expect(children.map(({ id }) => id).sort()).toStrictEqual(edges.map(({ id }) => id).sort());
    });

    it('never leaves an edge at a session that a concurrent deletion removed', async () => {
      const world = await World.in(await factory());
      const parent = await world.session();
      const children = await world.sessions(20);
      await Promise.all(
        children.map(async (child) => {
          const [edge, deletion] = await Promise.allSettled([
            world.edge(parent, child),
            world.store.deleteSession(child.id, ALPHA),
          ]);
          const left = await world.store.getSession(child.id, ALPHA);
          expect([edge.status, deletion.status].sort()).toStrictEqual(['fulfilled', 'rejected']);
          expect(left === null).toBe(deletion.status === 'fulfilled');
        }),
      );
    });

    it('reads what an answered write wrote, interleaved with other writes', async () => {
      const world = await World.in(await factory());
      const sessions = await world.sessions(5);
      await Promise.all(
        sessions.map(async (session, i) => {
          for (let version = 1; version <= 20; version += 1) {
            await world.store.updateSession({ ...session, ownerVersion: version }, ALPHA);
            const read = await world.store.getSession(session.id, ALPHA);
            expect(read?.ownerVersion).toBe(version);
            await world.store.appendMessage(
              session.id,
              { role: 'user', content: `${i}.${version}` },
              ALPHA,
            );
            const messages = await world.store.loadMessages(session.id, ALPHA);
            expect(messages).toHaveLength(version);
            expect(messages.at(-1)?.content).toBe(`${i}.${version}`);
          }
        }),
      );
    });

    it('goes on after a rejected call', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const bad = rejection(world.store.updateSession({ ...session, id: 'ses_gone' }, ALPHA));
      const good = world.store.appendMessage(session.id, { role: 'user', content: 'x' }, ALPHA);
      expect((await bad).message).toContain('not found');
      expect(await good).toMatch(/^msg_/);
    });
  });
}
