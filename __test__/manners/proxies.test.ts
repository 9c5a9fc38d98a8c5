/** Every class that is exported can be wrapped in a Proxy that forwards everything. */

import {
  ArchivalManager,
  DefaultCapacityValidator,
  DefaultFilesystemMigrator,
  DefaultPathBuilder,
  DiskArchiveBackend,
  DiskSessionStore,
  GitWorktreeDriver,
  generateSummaryId,
  getRootLogger,
  InMemorySessionStore,
  SessionSummaryMaterializer,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';

const wrapped = <T extends object>(object: T): T => new Proxy(object, {});

it('and works as without', async () => {
  const store = wrapped(new InMemorySessionStore());
  const world = await World.in(store);
  const session = await world.session();
  const edge = await world.edge(session, await world.session());
  await world.change(edge, { status: 'idle' });
  const rootDir = tempRoot();
  const backend = wrapped(new DiskArchiveBackend({ rootDir }));
  const registry = wrapped(new WorkspaceBackendRegistry());
  const manager = wrapped(
    new ArchivalManager({
      sessionStore: store,
      workspaceRegistry: registry,
      archiveBackend: backend,
    }),
  );
  await manager.archive(edge.id, ALPHA);
  await manager.restore(edge.id, ALPHA);
  const policy = { maxSubSessionsPerProject: 0 };
  const { archived } = await manager.sweep(world.project.id, ALPHA, { policy });
  expect(archived.map(({ subSessionId }) => subSessionId)).toStrictEqual([edge.id]);

  const materializer = wrapped(new SessionSummaryMaterializer({ store, generateSummaryId }));
  const summary = await materializer.materialize({
    sessionId: session.id,
    tenantId: ALPHA,
    finalOutcome: { status: 'succeeded' },
    agentSummary: 'Done.',
    declaredDeliverables: [],
    keyDecisions: [],
  });
  expect(await materializer.recover(session.id, ALPHA)).toStrictEqual(summary);

  await wrapped(new DefaultCapacityValidator(store)).validateDepth(session.id, 4, ALPHA);
  const disk = wrapped(new DiskSessionStore({ rootDir: tempRoot() }));
  expect(await disk.getSession(session.id, ALPHA)).toBeNull();
  await disk.close();
  const migrated = await wrapped(new DefaultFilesystemMigrator()).migrate(tempRoot());
  expect(migrated.kind).toBe('noop_no_legacy');
  const driver = wrapped(
    new GitWorktreeDriver({
      repoRoot: '/repository',
      logger: getRootLogger(),
      execFile: async () => ({ stdout: '', stderr: '' }),
    }),
  );
  expect((await driver.create({ label: 'x' })).meta).toMatchObject({ branch: 'namzu/x' });
  registry.register(driver);
  expect(registry.has('git-worktree')).toBe(true);
  expect(wrapped(new DefaultPathBuilder('/root')).rootDir()).toBe('/root');
});
