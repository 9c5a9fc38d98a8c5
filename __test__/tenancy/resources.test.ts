/** What a refused reach into another tenant's records is told that it reached for. */

import { TenantIsolationError } from 'namzu-native';
import { expect, it } from 'vitest';
import { describeStores } from '../extensions/stores.js';
import { rejectionOf } from '../support/rejection.js';
import { ALPHA, BETA, World } from '../support/world.js';

describeStores((make) => {
  it('names the summary where there is one, and the session where there is none', async () => {
    const world = await World.in(make());
    const [summarized, plain] = [await world.session(), await world.session()];
    const summary = world.summary(summarized);
    await world.store.recordSummary(summary, ALPHA);
    const resource = async (id: typeof plain.id) => {
      const error = await rejectionOf(world.store.getSummary(id, BETA), TenantIsolationError);
      return error.details;
    };
    expect(await resource(summarized.id)).toStrictEqual({
      requested: BETA,
      resource: `summary(${summary.id})`,
    });
    expect(await resource(plain.id)).toStrictEqual({
      requested: BETA,
      resource: `session(${plain.id})`,
    });
  });

  it('names the payload of an update that is not of the tenant that asks', async () => {
    const world = await World.in(make());
    const session = await world.session();
    for (const [payload, tenant, resource] of [
      [session, BETA, `session(${session.id}) payload`],
      [{ ...session, tenantId: BETA }, ALPHA, `session(${session.id}) payload`],
      [{ ...session, tenantId: BETA }, BETA, `session(${session.id})`],
    ] as const) {
      const error = await rejectionOf(
        world.store.updateSession(payload, tenant),
        TenantIsolationError,
      );
      expect(error.details).toStrictEqual({ requested: tenant, resource });
    }
    expect(await world.store.getSession(session.id, ALPHA)).toStrictEqual(session);
  });

  it('refuses an edge that is to be of a broadcast without a name', async () => {
    const world = await World.in(make());
    const edge = await world.edge(await world.session(), await world.session());
    await expect(
      world.store.updateSubSession({ ...edge, broadcastGroupId: '' }, ALPHA),
    ).rejects.toMatchObject({
      name: 'InvalidArgumentError',
      details: { argument: 'sub.broadcastGroupId' },
    });
    expect(await world.store.getSubSession(edge.id, ALPHA)).toStrictEqual(edge);
  });
});
