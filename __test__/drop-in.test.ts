import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DiskSessionStore,
  generateTenantId,
  InMemorySessionStore,
  type Session,
  type SessionId,
  type SessionStore,
  type TenantId,
  TenantIsolationError,
} from 'namzu-native';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Desk } from './drop-in/desk.js';
import { MapStore } from './drop-in/map-store.js';

// As an application's own suite for the original package would be, with only its import changed.

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'desk-'));
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true, force: true });
});

class AuditedStore extends DiskSessionStore {
  readonly audit: string[] = [];

  override async updateSession(session: Session, tenantId: TenantId, version?: number) {
    this.audit.push(`${session.id} is ${session.status}`);
    return super.updateSession(session, tenantId, version);
  }

  override async getSession(id: SessionId, tenantId: TenantId) {
    const session = await super.getSession(id, tenantId);
    if (session?.status === 'archived') return null;
    return session;
  }
}

const STORES: readonly [string, () => SessionStore][] = [
  ['InMemorySessionStore', () => new InMemorySessionStore()],
  ['DiskSessionStore', () => new DiskSessionStore({ rootDir: join(dir, 'root') })],
  ['a subclass', () => new AuditedStore({ rootDir: join(dir, 'root') })],
  ['a Proxy', () => new Proxy(new DiskSessionStore({ rootDir: join(dir, 'root') }), {})],
  ['a store of one’s own', () => new MapStore()],
];

describe.each(STORES)('a desk over %s', (_, open) => {
  const tenant = generateTenantId();

  it('delegates, finishes and shows the tree', async () => {
    const desk = new Desk(open(), tenant);
    const root = await desk.open('Airline');
    await desk.ask(root.id, 'Two seats?', 'One moment.');
    const booking = await desk.delegate(root, 'booking', 'Book two seats.');
    await desk.ask(booking.childSessionId, 'Seats?', '12A and 12B.');
    await desk.finish(booking, 'Booked 12A and 12B');

    expect(await desk.outline(root.id)).toEqual(['2 messages', '  3 messages, Booked 12A and 12B']);
  });

  it('keeps who acts on whose behalf', async () => {
    const store = open();
    const desk = new Desk(store, tenant);
    const root = await desk.open('Airline');
    const { childSessionId } = await desk.delegate(root, 'booking', 'Book.');
    expect((await store.getSession(childSessionId, tenant))?.currentActor).toEqual({
      kind: 'agent',
      agentId: 'agt_booking',
      tenantId: tenant,
      parentActor: { kind: 'user', userId: 'usr_dispatcher', tenantId: tenant },
    });
  });

  it('hands a session over and counts its owners', async () => {
    const desk = new Desk(open(), tenant);
    const { id } = await desk.open('Airline');
    const bo = { kind: 'user', userId: 'usr_bo', tenantId: tenant } as const;
    const session = await desk.takeOver(id, bo);
    expect(session).toMatchObject({
      currentActor: bo,
      previousActors: [{ userId: 'usr_dispatcher' }],
      ownerVersion: 1,
    });
    expect(await desk.takeOver('ses_nobodyknows1', bo)).toBeNull();
  });

  it('undoes a delegation whose briefing fails, and passes the error on untouched', async () => {
    const store = open();
    const desk = new Desk(store, tenant);
    const root = await desk.open('Airline');
    const failure = new Error('quota exceeded');
    const append = vi.spyOn(store, 'appendMessage').mockRejectedValueOnce(failure);
    const create = vi.spyOn(store, 'createSession');

    await expect(desk.delegate(root, 'booking', 'Book.')).rejects.toBe(failure);

    const child = (await create.mock.results[0]?.value) as Session;
    expect(append).toHaveBeenCalledExactlyOnceWith(
      child.id,
      expect.objectContaining({ role: 'system', content: 'Book.', cacheHint: 'cache' }),
      tenant,
    );
    expect(await store.getSession(child.id, tenant)).toBeNull();
    expect(await store.getChildren(root.id, tenant)).toEqual([]);
    expect(await desk.outline(root.id)).toEqual(['0 messages']);
  });

  it('calls the store with what the application passed', async () => {
    const store = open();
    const spy = vi.spyOn(store, 'createProject');
    await new Desk(store, tenant).open('Airline');
    expect(spy.mock.calls).toEqual([[{ tenantId: tenant, name: 'Airline' }, tenant]]);
    await expect(spy.mock.results[0]?.value).resolves.toMatchObject({ name: 'Airline' });
  });

  it('is closed to other tenants', async () => {
    const store = open();
    const root = await new Desk(store, tenant).open('Airline');
    const stranger = new Desk(store, generateTenantId());
    await expect(stranger.outline(root.id)).rejects.toThrow(TenantIsolationError);
    await expect(stranger.outline(root.id)).rejects.toMatchObject({
      name: 'TenantIsolationError',
      details: { resource: `session(${root.id})` },
    });
  });

  it('works while timers are faked', async () => {
    vi.useFakeTimers();
    const desk = new Desk(open(), tenant);
    const root = await desk.open('Airline');
    await desk.delegate(root, 'booking', 'Book.');
    expect(await desk.outline(root.id)).toEqual(['0 messages', '  1 messages']);
  });

  it('stamps what it creates with the faked clock', async () => {
    const now = new Date('2030-01-02T03:04:05.678Z');
    vi.useFakeTimers({ now });
    const store = open();
    const desk = new Desk(store, tenant);
    const root = await desk.open('Airline');
    const edge = await desk.delegate(root, 'booking', 'Book.');
    const [first] = await store.loadSessionMessages(edge.childSessionId, tenant);
    expect([root.createdAt, edge.spawnedAt, first?.at]).toEqual([now, now, now]);
  });
});

describe('a subclass', () => {
  it('sees the calls that its own callers make', async () => {
    const tenant = generateTenantId();
    const store = new AuditedStore({ rootDir: join(dir, 'root') });
    const root = await new Desk(store, tenant).open('Airline');
    await store.updateSession({ ...root, status: 'archived' }, tenant);
    expect(store.audit).toEqual([`${root.id} is archived`]);
    expect(await store.getSession(root.id, tenant)).toBeNull();
    expect(store).toBeInstanceOf(DiskSessionStore);
  });
});
