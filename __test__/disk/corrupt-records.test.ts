import { CorruptRecordError, type DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { diskWorld, reopened } from '../support/disk-world.js';
import { projectFile, sessionFile, subSessionFile, summaryFile } from '../support/paths.js';
import { rejectionOf } from '../support/rejection.js';
import { editRecord, readText, writeText } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

type Kind = 'project' | 'session' | 'subsession' | 'summary';

const REQUIRED_KEYS: Readonly<Record<Kind, readonly string[]>> = {
  project: ['id', 'tenantId', 'name', 'config', 'createdAt', 'updatedAt'],
  session: [
    'id',
    'projectId',
    'tenantId',
    'status',
    'currentActor',
    'previousActors',
    'workspaceId',
    'ownerVersion',
    'createdAt',
    'updatedAt',
  ],
  subsession: [
    'id',
    'parentSessionId',
    'childSessionId',
    'tenantId',
    'kind',
    'status',
    'spawnedBy',
    'spawnedAt',
    'failureMode',
    'completionMode',
    'workspaceId',
    'updatedAt',
  ],
  summary: [
    'id',
    'sessionRef',
    'tenantId',
    'outcome',
    'deliverables',
    'agentSummary',
    'keyDecisions',
    'at',
    'materializedBy',
  ],
};

const WRONG_VALUES: readonly [Kind, string, unknown][] = [
  ['project', 'config', 'none'],
  ['project', 'createdAt', 'yesterday'],
  ['session', 'status', 'asleep'],
  ['session', 'ownerVersion', 'one'],
  ['session', 'previousActors', {}],
  ['session', 'createdAt', 0],
  ['session', 'updatedAt', '2026-13-45T00:00:00.000Z'],
  ['session', 'currentActor', { kind: 'robot' }],
  ['subsession', 'kind', 'clone'],
  ['subsession', 'spawnedAt', null],
  ['subsession', 'spawnedBy', null],
  ['summary', 'outcome', { status: 'great' }],
  ['summary', 'deliverables', null],
];

const NOT_RECORDS: readonly [string, string | Buffer][] = [
  ['empty', ''],
  ['NUL bytes', Buffer.alloc(200)],
  ['bytes that are no text', Buffer.from([0xff, 0xfe])],
  ['cut short', '{\n  "id": "ses_'],
  ['followed by garbage', '{}}'],
  ['null', 'null'],
  ['an array', '[]'],
  ['a number', '42'],
  ['an empty object', '{}'],
];

/** A root with two of everything, of which the first will be damaged. */
async function roots() {
  const { world, root } = await diskWorld();
  const [session, sibling] = [await world.session(), await world.session()];
  const edge = await world.edge(session, sibling, 1);
  const siblingEdge = await world.edge(sibling, session, 2);
  await world.store.recordSummary(world.summary(session), ALPHA);
  await world.store.recordSummary(world.summary(sibling), ALPHA);
  const second = await world.store.createProject({ tenantId: ALPHA, name: 'second' }, ALPHA);
  const files: Record<Kind, string> = {
    project: projectFile(second.id),
    session: sessionFile(session),
    subsession: subSessionFile(session, edge),
    summary: summaryFile(session),
  };
  const reads: Record<Kind, (store: DiskSessionStore) => Promise<unknown>> = {
    project: (store) => store.getProject(second.id, ALPHA),
    session: (store) => store.getSession(session.id, ALPHA),
    subsession: (store) => store.getSubSession(edge.id, ALPHA),
    summary: (store) => store.getSummary(session.id, ALPHA),
  };
  const siblings = async (store: DiskSessionStore) => [
    (await store.getProject(world.project.id, ALPHA))?.id,
    (await store.getSession(sibling.id, ALPHA))?.id,
    (await store.getSubSession(siblingEdge.id, ALPHA))?.id,
    (await store.getSummary(sibling.id, ALPHA))?.sessionRef,
  ];
  const healthy = [world.project.id, sibling.id, siblingEdge.id, sibling.id];
  return { root, session, edge, files, reads, siblings, healthy };
}

async function expectCorrupt(promise: Promise<unknown>, path: string): Promise<void> {
  const error = await rejectionOf(promise, CorruptRecordError);
  expect(error.details).toEqual({ path, reason: expect.any(String) });
  expect(error.details.reason).not.toBe('');
  expect(error.message).toContain(path);
  expect(error.message).toContain(error.details.reason);
}

const KINDS = Object.keys(REQUIRED_KEYS) as Kind[];

describe('a damaged record', () => {
  describe.each(KINDS)('%s', (kind) => {
    it.each(NOT_RECORDS)('is refused when it is %s, alone', async (_, content) => {
      const { root, files, reads, siblings, healthy } = await roots();
      const { store } = await reopened(root, (copy) => writeText(copy, files[kind], content));
      await expectCorrupt(reads[kind](store), files[kind]);
      expect(await siblings(store)).toStrictEqual(healthy);
    });

    it.each(REQUIRED_KEYS[kind])('is refused without its key %s, alone', async (key) => {
      const { root, files, reads, siblings, healthy } = await roots();
      const { store } = await reopened(root, (copy) =>
        editRecord(copy, files[kind], { [key]: undefined }),
      );
      await expectCorrupt(reads[kind](store), files[kind]);
      expect(await siblings(store)).toStrictEqual(healthy);
    });
  });

  it.each(WRONG_VALUES)('%s is refused when its %s is %j', async (kind, key, value) => {
    const { root, files, reads } = await roots();
    const { store } = await reopened(root, (copy) =>
      editRecord(copy, files[kind], { [key]: value }),
    );
    await expectCorrupt(reads[kind](store), files[kind]);
  });

  it('is not overwritten by an update', async () => {
    const { root, session, edge, files } = await roots();
    const { store, root: copy } = await reopened(root, async (dir) => {
      await writeText(dir, files.session, '{ broken');
      await writeText(dir, files.subsession, '{ broken too');
    });
    await expectCorrupt(store.updateSession(session, ALPHA), files.session);
    await expectCorrupt(store.updateSubSession(edge, ALPHA), files.subsession);
    expect(await readText(copy, files.session)).toBe('{ broken');
    expect(await readText(copy, files.subsession)).toBe('{ broken too');
  });

  it('takes no messages, and belongs to nobody', async () => {
    const { root, session, files } = await roots();
    const { store } = await reopened(root, (copy) => writeText(copy, files.session, 'broken'));
    const message = { role: 'user', content: 'x' } as const;
    await expectCorrupt(store.appendMessage(session.id, message, ALPHA), files.session);
    await expectCorrupt(store.deleteSession(session.id, ALPHA), files.session);
    await expectCorrupt(store.getSession(session.id, 'tnt_somebody_else'), files.session);
  });
});

describe('a record that another program wrote in its own way', () => {
  it.each<[string, (text: string) => string]>([
    ['with a newline at the end', (text) => `${text}\n`],
    ['with Windows line ends', (text) => text.replaceAll('\n', '\r\n')],
    ['on one line', (text) => JSON.stringify(JSON.parse(text))],
    ['with tabs', (text) => JSON.stringify(JSON.parse(text), null, '\t')],
    [
      'with keys in another order',
      (text) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse())),
    ],
  ])('is read %s', async (_, rewrite) => {
    const { root, session, files, reads } = await roots();
    const { store } = await reopened(root, async (copy) => {
      for (const file of Object.values(files)) {
        await writeText(copy, file, rewrite(await readText(copy, file)));
      }
    });
    for (const kind of KINDS) expect(await reads[kind](store)).not.toBeNull();
    expect(await store.getSession(session.id, ALPHA)).toMatchObject({
      id: session.id,
      createdAt: session.createdAt,
    });
  });
});
