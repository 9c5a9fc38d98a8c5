import { DiskSessionStore, type Session, type SessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';
import { RemoteStore } from './support/remote-store.js';

const TIMES = 100;
const READERS = 3;

/** Asks over and over, several at once, until the answer is yes or `over` resolved. */
async function until(over: Promise<unknown>, ask: () => Promise<boolean>): Promise<void> {
  let done = false;
  void over.then(() => {
    done = true;
  });
  const askOn = async () => {
    while (!done && !(await ask()));
  };
  await Promise.all([over, ...Array.from({ length: READERS }, askOn)]);
}

interface Watched {
  readonly writer: World;
  readonly reader: SessionStore;
}

async function watched(): Promise<Watched> {
  const root = tempRoot();
  const [writer, reader] = [await RemoteStore.start(root), new DiskSessionStore({ rootDir: root })];
  return { writer: await World.in(writer.store), reader };
}

/** Does something to many new pairs of sessions and collects what a reader then finds wrong. */
async function many(
  { writer }: Watched,
  one: (parent: Session, child: Session) => Promise<string | null>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (let i = 0; i < TIMES; i += 1) {
    const parent = await writer.session();
    const child = await writer.session();
    const found = await one(parent, child);
    if (found !== null) wrong.push(`${i}: ${found}`);
  }
  return wrong;
}

describe('whoever saw one part of what another process did in one step', () => {
  it('sees the edge from below when it saw it from above', async () => {
    const both = await watched();
    const { writer, reader } = both;
    const wrong = await many(both, async (parent, child) => {
      let found: string | null = null;
      await reader.getAncestry(child.id, ALPHA);
      await until(writer.edge(parent, child), async () => {
        if ((await reader.getChildren(parent.id, ALPHA)).length === 0) return false;
        const ancestry = await reader.getAncestry(child.id, ALPHA);
        if (ancestry.length !== 2) found = `ancestry ${ancestry.join()}`;
        return true;
      });
      return found;
    });
    expect(wrong).toStrictEqual([]);
  });

  it('sees the session idle when it saw the summary', async () => {
    const both = await watched();
    const { writer, reader } = both;
    const wrong = await many(both, async (_, session) => {
      let found: string | null = null;
      const active = await writer.changeSession(session, { status: 'active' });
      const summarized = writer.store.recordSummary(writer.summary(active), ALPHA);
      await until(summarized, async () => {
        if ((await reader.getSummary(session.id, ALPHA)) === null) return false;
        const read = await reader.getSession(session.id, ALPHA);
        if (read?.status !== 'idle') found = `status ${read?.status}`;
        return true;
      });
      return found;
    });
    expect(wrong).toStrictEqual([]);
  });

  it('sees the summary when it saw the session idle', async () => {
    const both = await watched();
    const { writer, reader } = both;
    const wrong = await many(both, async (_, session) => {
      let found: string | null = null;
      const active = await writer.changeSession(session, { status: 'active' });
      const summarized = writer.store.recordSummary(writer.summary(active), ALPHA);
      await until(summarized, async () => {
        if ((await reader.getSession(session.id, ALPHA))?.status !== 'idle') return false;
        if ((await reader.getSummary(session.id, ALPHA)) === null) found = 'no summary';
        return true;
      });
      return found;
    });
    expect(wrong).toStrictEqual([]);
  });

  it('sees a deleted edge from neither side', async () => {
    const both = await watched();
    const { writer, reader } = both;
    const wrong = await many(both, async (parent, child) => {
      let found: string | null = null;
      const edge = await writer.edge(parent, child);
      await until(writer.store.deleteSubSession(edge.id, ALPHA), async () => {
        if ((await reader.getChildren(parent.id, ALPHA)).length === 1) return false;
        const ancestry = await reader.getAncestry(child.id, ALPHA);
        if (ancestry.length !== 1) found = `ancestry ${ancestry.join()}`;
        else if (await reader.getSubSession(edge.id, ALPHA)) found = 'the edge itself';
        return true;
      });
      return found;
    });
    expect(wrong).toStrictEqual([]);
  });
});
