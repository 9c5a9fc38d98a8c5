import { chmodSync, cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ProjectId,
  SessionId,
  SessionMessage,
  SubSession,
  SubSessionId,
  TenantId,
} from 'namzu-native';
import { DiskSessionStore, TenantIsolationError } from 'namzu-native';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { nobody, nobodyCanRun, runChild } from '../support/child.js';
import { fixtureIsAbsent, fixturePath } from '../support/fixtures.js';
import { rejectionOf } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { bytesOf } from '../support/tree.js';
import { present } from '../support/world.js';

const FIXTURE = 'roots/sdk-0.2.0';
const ROOT = fixturePath(`${FIXTURE}/root`);

/** What the release that wrote the root reads back, dates as ISO strings. */
interface Expected {
  readonly tenants: TenantId[];
  readonly projects: Record<ProjectId, { tenantId: TenantId }>;
  readonly sessions: Record<
    SessionId,
    {
      session: { tenantId: TenantId };
      messages: { message: unknown }[];
      children: SubSessionId[];
      ancestry: SessionId[];
      summary: unknown;
    }
  >;
  readonly subSessions: Record<SubSessionId, object>;
}

/** A value with its dates as ISO strings, which must all have been Dates. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.skipIf(fixtureIsAbsent(FIXTURE))('a root that @namzu/sdk 0.2.0 wrote', () => {
  let expected: Expected;

  beforeAll(() => {
    const text = readFileSync(fixturePath(`${FIXTURE}/expected.json`), 'utf8');
    expected = JSON.parse(text) as Expected;
  });

  function copiedRoot(): string {
    const root = tempRoot();
    cpSync(ROOT, root, { recursive: true });
    makeWritable(root);
    return root;
  }

  it('holds what this suite compares', () => {
    expect(Object.keys(expected.projects).length).toBeGreaterThan(1);
    expect(Object.keys(expected.sessions).length).toBeGreaterThan(5);
    expect(Object.keys(expected.subSessions).length).toBeGreaterThan(5);
  });

  it('answers every project', async () => {
    const store = new DiskSessionStore({ rootDir: copiedRoot() });
    for (const [id, project] of Object.entries(expected.projects)) {
      const read = await store.getProject(id as ProjectId, project.tenantId);
      expect(asJson(read)).toStrictEqual(project);
      expect(read?.createdAt).toBeInstanceOf(Date);
      expect(read?.updatedAt).toBeInstanceOf(Date);
    }
  });

  it('answers every session, by getSession and by drill', async () => {
    const store = new DiskSessionStore({ rootDir: copiedRoot() });
    for (const [id, { session, children, ancestry }] of Object.entries(expected.sessions)) {
      const read = await store.getSession(id as SessionId, session.tenantId);
      expect(asJson(read)).toStrictEqual(session);
      expect(read?.createdAt).toBeInstanceOf(Date);
      const view = present(await store.drill(id as SessionId, session.tenantId));
      expect(asJson(view)).toStrictEqual({
        session,
        children: children.map((child) => expected.subSessions[child]),
        ancestry,
      });
    }
  });

  it('answers every sub-session', async () => {
    const store = new DiskSessionStore({ rootDir: copiedRoot() });
    for (const { session, children } of Object.values(expected.sessions)) {
      for (const id of children) {
        const read: SubSession = present(await store.getSubSession(id, session.tenantId));
        expect(asJson(read)).toStrictEqual(expected.subSessions[id]);
        expect(read.spawnedAt).toBeInstanceOf(Date);
        if (read.archivedAt !== undefined) expect(read.archivedAt).toBeInstanceOf(Date);
      }
    }
    const listed = Object.values(expected.sessions).flatMap(({ children }) => children);
    expect(listed.sort()).toStrictEqual(Object.keys(expected.subSessions).sort());
  });

  it('answers every message, with its envelope and without', async () => {
    const store = new DiskSessionStore({ rootDir: copiedRoot() });
    for (const [id, { session, messages }] of Object.entries(expected.sessions)) {
      const envelopes: readonly SessionMessage[] = await store.loadSessionMessages(
        id as SessionId,
        session.tenantId,
      );
      expect(JSON.stringify(envelopes)).toBe(JSON.stringify(messages));
      for (const { at } of envelopes) expect(at).toBeInstanceOf(Date);
      const alone = await store.loadMessages(id as SessionId, session.tenantId);
      expect(JSON.stringify(alone)).toBe(JSON.stringify(messages.map(({ message }) => message)));
    }
  });

  it('answers children in order, ancestries and summaries', async () => {
    const store = new DiskSessionStore({ rootDir: copiedRoot() });
    for (const [key, { session, children, ancestry, summary }] of Object.entries(
      expected.sessions,
    )) {
      const id = key as SessionId;
      const read = await store.getChildren(id, session.tenantId);
      expect(read.map((edge) => edge.id)).toStrictEqual(children);
      expect(await store.getAncestry(id, session.tenantId)).toStrictEqual(ancestry);
      expect(asJson(await store.getSummary(id, session.tenantId))).toStrictEqual(summary);
    }
  });

  it('refuses every record to the other tenant', async () => {
    const store = new DiskSessionStore({ rootDir: copiedRoot() });
    const other = (owner: TenantId) => present(expected.tenants.find((one) => one !== owner));
    for (const [id, { tenantId }] of Object.entries(expected.projects)) {
      const read = store.getProject(id as ProjectId, other(tenantId));
      await rejectionOf(read, TenantIsolationError);
    }
    for (const [key, { session, children }] of Object.entries(expected.sessions)) {
      const id = key as SessionId;
      const tenant = other(session.tenantId);
      await rejectionOf(store.getSession(id, tenant), TenantIsolationError);
      await rejectionOf(store.getSummary(id, tenant), TenantIsolationError);
      await rejectionOf(store.loadMessages(id, tenant), TenantIsolationError);
      for (const edge of children) {
        await rejectionOf(store.getSubSession(edge, tenant), TenantIsolationError);
      }
    }
  });

  it('is byte for byte the same after everything was read', async () => {
    const root = copiedRoot();
    const before = await bytesOf(root, ['projects', 'archive']);
    await runChild('read-root.mjs', [root, JSON.stringify(idsOf(expected))]);
    expect(await bytesOf(root, ['projects', 'archive'])).toStrictEqual(before);
    expect(before.size).toBeGreaterThan(40);
  });

  it.skipIf(!nobodyCanRun())('can be read where nothing may be written', async () => {
    const root = copiedRoot();
    makeReadOnly(root);
    onTestFinished(() => makeWritable(root));
    // Also the directory around it, which a temporary root has private to us.
    chmodSync(join(root, '..'), 0o555);
    onTestFinished(() => chmodSync(join(root, '..'), 0o755));
    const before = await bytesOf(root, ['projects', 'archive']);
    const read = await runChild('read-root.mjs', [root, JSON.stringify(idsOf(expected))], nobody);
    expect(read).toStrictEqual(expectedReading(expected));
    expect(await bytesOf(root, ['projects', 'archive'])).toStrictEqual(before);
    expect(readdirSync(root).sort()).toStrictEqual(['archive', 'projects']);
  });

  it('takes writes, and is then read by a store that comes later', async () => {
    const root = copiedRoot();
    const store = new DiskSessionStore({ rootDir: root });
    const [id, { session, messages }] = present(Object.entries(expected.sessions)[0]);
    const { tenantId } = session;
    const sessionId = id as SessionId;
    await store.appendMessage(sessionId, { role: 'user', content: 'from here' }, tenantId);
    const stored = present(await store.getSession(sessionId, tenantId));
    await store.updateSession({ ...stored, ownerVersion: 41 }, tenantId, stored.ownerVersion);

    const copy = tempRoot();
    cpSync(join(root, 'projects'), join(copy, 'projects'), { recursive: true });
    const later = new DiskSessionStore({ rootDir: copy });
    expect(await later.getSession(sessionId, tenantId)).toMatchObject({ ownerVersion: 41 });
    expect(await later.loadMessages(sessionId, tenantId)).toStrictEqual([
      ...messages.map(({ message }) => message),
      { role: 'user', content: 'from here' },
    ]);
  });
});

/** Every id with the tenant that may read it. */
function idsOf(expected: Expected) {
  const projects = Object.entries(expected.projects).map(([id, { tenantId }]) => [id, tenantId]);
  const sessions = Object.entries(expected.sessions).map(([id, entry]) => [
    id,
    entry.session.tenantId,
    ...entry.children,
  ]);
  return { projects, sessions };
}

/** What `read-root.mjs` prints when it reads what it should. */
function expectedReading(expected: Expected) {
  return {
    projects: Object.values(expected.projects),
    sessions: Object.values(expected.sessions).map((entry) => ({
      ...entry,
      children: entry.children.map((id) => expected.subSessions[id]),
      edges: entry.children.map((id) => expected.subSessions[id]),
    })),
  };
}

function changeModes(dir: string, directory: number, file: number): void {
  chmodSync(dir, directory | 0o200);
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) changeModes(path, directory, file);
    else chmodSync(path, file);
  }
  chmodSync(dir, directory);
}

const makeReadOnly = (dir: string) => changeModes(dir, 0o555, 0o444);
const makeWritable = (dir: string) => changeModes(dir, 0o755, 0o644);
