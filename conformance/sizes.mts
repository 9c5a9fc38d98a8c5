import type { ActorRef } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import type { SingleStoreFactory } from './index.mjs';
import { ALPHA, agentOf, present, userOf, World } from './support/world.mjs';

/** More than any limit that a query or a column is likely to have by itself. */
const ACTORS = 40;
const CHILDREN = 260;
const ANCESTORS = 120;
const MESSAGES = 10_240;
/** How many messages are appended at a time. */
const AT_ONCE = 512;
const LONG_TEXT = 300_000;

/** Nothing of what is stored is cut off, however many there are. */
export function describeSizes(factory: SingleStoreFactory): void {
  describe('many of a kind', () => {
    it(`keeps ${ACTORS} previous actors, in their order`, async () => {
      const world = await World.in(await factory());
      const previousActors: ActorRef[] = Array.from({ length: ACTORS }, (_, n) => ({
        ...(n % 2 === 0 ? userOf(ALPHA) : agentOf(ALPHA)),
        ...(n % 2 === 0 ? { userId: `usr_${n}` } : { agentId: `agt_${n}` }),
      })) as ActorRef[];
      const session = await world.changeSession(await world.session(), { previousActors });
      expect(session.previousActors).toStrictEqual(previousActors);
    });

    it(`lists ${CHILDREN} children`, async () => {
      const world = await World.in(await factory());
      const [parent, child] = [await world.session(), await world.session()];
      const ids: string[] = [];
      for (let n = 0; n < CHILDREN; n += 1) ids.push((await world.edge(parent, child)).id);
      const sorted = (edges: readonly { readonly id: string }[]) =>
        edges.map(({ id }) => id).sort();
      ids.sort();
      expect(sorted(await world.store.getChildren(parent.id, ALPHA))).toStrictEqual(ids);
      const view = present(await world.store.drill(parent.id, ALPHA));
      expect(sorted(view.children)).toStrictEqual(ids);
    }, 120_000);

    it(`follows ${ANCESTORS} ancestors`, async () => {
      const world = await World.in(await factory());
      const sessions = await world.sessions(ANCESTORS);
      for (const [n, child] of sessions.entries()) {
        const parent = sessions[n - 1];
        if (parent !== undefined) await world.edge(parent, child);
      }
      const last = present(sessions.at(-1));
      const ids = sessions.map(({ id }) => id);
      expect(await world.store.getAncestry(last.id, ALPHA)).toStrictEqual(ids);
      expect(present(await world.store.drill(last.id, ALPHA)).ancestry).toStrictEqual(ids);
    }, 120_000);

    it(`loads ${MESSAGES} messages`, async () => {
      const world = await World.in(await factory());
      const { id } = await world.session();
      for (let from = 0; from < MESSAGES; from += AT_ONCE) {
        const appended = Array.from({ length: AT_ONCE }, (_, n) =>
          world.store.appendMessage(id, { role: 'user', content: `${from + n}` }, ALPHA),
        );
        await Promise.all(appended);
      }
      const numbers = (messages: readonly { readonly content: unknown }[]) =>
        messages.map(({ content }) => Number(content)).sort((a, b) => a - b);
      const all = Array.from({ length: MESSAGES }, (_, n) => n);
      expect(numbers(await world.store.loadMessages(id, ALPHA))).toStrictEqual(all);
      const envelopes = await world.store.loadSessionMessages(id, ALPHA);
      expect(numbers(envelopes.map(({ message }) => message))).toStrictEqual(all);
    }, 300_000);

    it('keeps a long text, and many key decisions of a summary', async () => {
      const world = await World.in(await factory());
      const session = await world.session();
      const content = 'é'.repeat(LONG_TEXT);
      await world.store.appendMessage(session.id, { role: 'user', content }, ALPHA);
      const [message] = await world.store.loadMessages(session.id, ALPHA);
      expect(message?.content === content, 'the text as it was').toBe(true);
      const at = new Date('2026-01-02T03:04:05.678Z');
      const keyDecisions = Array.from({ length: CHILDREN }, (_, n) => ({ at, summary: `${n}` }));
      await world.store.recordSummary(world.summary(session, { keyDecisions }), ALPHA);
      const summary = present(await world.store.getSummary(session.id, ALPHA));
      expect(summary.keyDecisions).toStrictEqual(keyDecisions);
    });
  });
}
