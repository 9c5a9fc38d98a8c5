import { execFile, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const children = new URL('../children/', import.meta.url);

/** Absolute path of a script in `__test__/children`. */
export function childScript(name: string): string {
  return fileURLToPath(new URL(name, children));
}

export interface ChildOptions {
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** Runs a script of `__test__/children` in a process of its own and answers the JSON it prints. */
export async function runChild(
  name: string,
  args: readonly string[] = [],
  options: ChildOptions = {},
): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [childScript(name), ...args],
    options,
  );
  return JSON.parse(stdout);
}

/** A user without rights: ourselves, or when we are root, who ignores file modes, somebody else. */
export const nobody: ChildOptions = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Whether a child without rights can run here at all: it must be able to read the package. */
export function nobodyCanRun(): boolean {
  if (process.platform === 'win32') return false;
  const probe: SpawnSyncReturns<Buffer> = spawnSync(
    process.execPath,
    [childScript('probe.mjs')],
    nobody,
  );
  return probe.status === 0;
}
