/** Objects that lack what they are to work with: each says what is missing, by its name. */

import {
  ArchivalManager,
  ArchiveNotConfiguredError,
  DiskArchiveBackend,
  DiskSessionStore,
  executeSingleHandoff,
  GitWorktreeDriver,
  InMemorySessionStore,
  InvalidArgumentError,
  recoverHandoffs,
  type SubSessionId,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';
import { tempDir } from '../support/temp-root.js';
import { ALPHA } from '../support/world.js';

const EDGE = 'sub_x' as SubSessionId;

describe('an ArchivalManager', () => {
  const backend = () => new DiskArchiveBackend({ rootDir: tempDir() });
  const CALLS = {
    archive: (manager: ArchivalManager) => manager.archive(EDGE, ALPHA),
    restore: (manager: ArchivalManager) => manager.restore(EDGE, ALPHA),
    restoreSession: (manager: ArchivalManager) => manager.restoreSession('ses_x' as never, ALPHA),
    sweep: (manager: ArchivalManager) => manager.sweep('prj_x' as never, ALPHA),
  };

  it.each(Object.entries(CALLS))('names a missing store: %s', async (_, call) => {
    const manager = new ArchivalManager({ archiveBackend: backend() } as never);
    const { details } = await rejectionOf(call(manager), InvalidArgumentError);
    expect(details).toMatchObject({ argument: 'deps.sessionStore', received: 'undefined' });
  });

  it.each(Object.entries(CALLS))('without anything at all: %s', async (_, call) => {
    const { details } = await rejectionOf(
      call(new ArchivalManager(undefined as never)),
      InvalidArgumentError,
    );
    expect(details.argument).toBe('deps');
  });

  it('says first that there is no backend', async () => {
    const manager = new ArchivalManager({} as never);
    await expect(manager.archive(EDGE, ALPHA)).rejects.toThrow(ArchiveNotConfiguredError);
  });

  it.each(['a path', 7, true])('refuses the backend %j', async (archiveBackend) => {
    const sessionStore = new InMemorySessionStore();
    const manager = new ArchivalManager({ sessionStore, archiveBackend } as never);
    const { details } = await rejectionOf(manager.archive(EDGE, ALPHA), InvalidArgumentError);
    expect(details.argument).toBe('deps.archiveBackend');
  });
});

it('a recovery and a handoff name a missing store', async () => {
  const recovery = await rejectionOf(recoverHandoffs({} as never, ALPHA), InvalidArgumentError);
  expect(recovery.details.argument).toBe('deps.store');
  const assignment = { tenantId: ALPHA } as never;
  const handoff = await rejectionOf(
    executeSingleHandoff({} as never, assignment, ALPHA),
    InvalidArgumentError,
  );
  expect(handoff.details.argument).toBe('deps.store');
});

it('a driver names what its config lacks', () => {
  expect(() => new GitWorktreeDriver(undefined as never)).toThrow(InvalidArgumentError);
  expect(() => new GitWorktreeDriver({} as never)).toThrow('logger');
});

it('a method that was taken off its store says so', async () => {
  const { getSession } = new DiskSessionStore({ rootDir: tempDir() });
  const call = async () => getSession.call({} as never, 'ses_x' as never, ALPHA);
  const { details } = await rejectionOf(call(), InvalidArgumentError);
  expect(details).toMatchObject({ argument: 'this', expected: 'a store of this package' });
});
