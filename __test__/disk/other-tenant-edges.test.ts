import { DiskSessionStore, TenantIsolationError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { HandWrittenRoot } from '../support/hand-written.js';
import { rejection, rejectionOf } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, BETA } from '../support/world.js';

/** A parent and a child of ALPHA, joined by BETA's edge and, later, by ALPHA's own. */
async function root() {
  const hand = new HandWrittenRoot(tempRoot());
  await hand.project('prj_a');
  for (const id of ['ses_parent', 'ses_other', 'ses_child'] as const) {
    await hand.session('prj_a', id);
  }
  const date = (year: number) => ({ spawnedAt: `${year}-01-01T00:00:00.000Z` });
  await hand.edge('prj_a', 'ses_parent', 'ses_child', 'sub_theirs', {
    tenantId: BETA,
    ...date(2001),
  });
  await hand.edge('prj_a', 'ses_other', 'ses_child', 'sub_ours', date(2002));
  return new DiskSessionStore({ rootDir: hand.dir });
}

describe('an edge whose own tenant differs', () => {
  it('is left out of children, ancestry and drill', async () => {
    const store = await root();
    expect(await store.getChildren('ses_parent', ALPHA)).toStrictEqual([]);
    expect(await store.getAncestry('ses_child', ALPHA)).toStrictEqual(['ses_other', 'ses_child']);
    expect(await store.drill('ses_parent', ALPHA)).toMatchObject({ children: [] });
    expect(await store.drill('ses_child', ALPHA)).toMatchObject({
      ancestry: ['ses_other', 'ses_child'],
    });
  });

  it('is refused by its id, and its own tenant has it', async () => {
    const store = await root();
    const error = await rejectionOf(store.getSubSession('sub_theirs', ALPHA), TenantIsolationError);
    expect(error.details).toStrictEqual({ requested: ALPHA, resource: 'sub-session(sub_theirs)' });
    expect(await store.getSubSession('sub_theirs', BETA)).toMatchObject({ id: 'sub_theirs' });
  });

  it('blocks the deletion of either session', async () => {
    const store = await root();
    await store.deleteSubSession('sub_ours', ALPHA);
    for (const id of ['ses_parent', 'ses_child'] as const) {
      const error = await rejection(store.deleteSession(id, ALPHA));
      expect(error.message).toContain('attached sub-sessions');
      expect(await store.getSession(id, ALPHA)).toMatchObject({ id });
    }
    await store.deleteSubSession('sub_theirs', BETA);
    await store.deleteSession('ses_parent', ALPHA);
    await store.deleteSession('ses_child', ALPHA);
    expect(await store.getSession('ses_child', ALPHA)).toBeNull();
  });
});

describe('tenancy', () => {
  it('is decided by the tenant of the record, not by that of the project above it', async () => {
    const hand = new HandWrittenRoot(tempRoot());
    await hand.project('prj_a', BETA);
    await hand.session('prj_a', 'ses_ours', { tenantId: ALPHA });
    const store = new DiskSessionStore({ rootDir: hand.dir });
    expect(await store.getSession('ses_ours', ALPHA)).toMatchObject({ id: 'ses_ours' });
    await store.appendMessage('ses_ours', { role: 'user', content: 'x' }, ALPHA);
    expect(await store.loadMessages('ses_ours', ALPHA)).toHaveLength(1);
    await rejectionOf(store.getSession('ses_ours', BETA), TenantIsolationError);
    await rejectionOf(store.getProject('prj_a', ALPHA), TenantIsolationError);
  });
});
