/** Which driver provides workspaces of which kind. */

import { NotFoundError } from '../errors';
import type { WorkspaceBackendKind } from '../errors/words';
import { pristine } from '../pristine';
import type { BackendMeta, WorkspaceBackendDriver, WorkspaceRegistry } from './types';

/**
 * The drivers of an application, one for each kind of workspace.
 *
 * @example
 * ```ts
 * const workspaces = new WorkspaceBackendRegistry();
 * workspaces.register(new GitWorktreeDriver({ repoRoot: '.', logger: getRootLogger() }));
 * const workspace = await workspaces.get('git-worktree').create({ label: 'fix-login' });
 * ```
 */
export class WorkspaceBackendRegistry implements WorkspaceRegistry {
  private readonly drivers = new Map<WorkspaceBackendKind, WorkspaceBackendDriver>();

  /** Adds a driver, in place of the one that was there for its kind. */
  register(driver: WorkspaceBackendDriver<BackendMeta>): void {
    this.drivers.set(driver.kind, driver as WorkspaceBackendDriver);
  }

  /**
   * The driver for a kind.
   *
   * @throws NotFoundError when there is none
   */
  get(kind: WorkspaceBackendKind): WorkspaceBackendDriver {
    const driver = this.drivers.get(kind);
    if (driver !== undefined) return driver;
    throw new NotFoundError(
      { kind: 'workspace driver', id: kind },
      {
        message: `No workspace driver is registered for "${kind}": call register() with one first`,
      },
    );
  }

  /** Whether there is a driver for a kind. */
  has(kind: WorkspaceBackendKind): boolean {
    return this.drivers.has(kind);
  }
}

const isPristine = pristine(WorkspaceBackendRegistry);

/** What `get` of a registry of ours would answer, without a call that a spy could see. */
export function peekDriver(
  registry: unknown,
  kind: WorkspaceBackendKind,
): WorkspaceBackendDriver | undefined {
  if (!isPristine(registry)) return undefined;
  return (registry as { drivers: Map<WorkspaceBackendKind, WorkspaceBackendDriver> }).drivers.get(
    kind,
  );
}
