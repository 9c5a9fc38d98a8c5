import { DiskSessionStore } from 'namzu-native';
import { copyOfRecords, tempRoot } from './temp-root.js';
import { World } from './world.js';

/** A world on a disk store, and the root it is in. */
export async function diskWorld(): Promise<{ world: World; root: string }> {
  const root = tempRoot();
  return { root, world: await World.in(new DiskSessionStore({ rootDir: root })) };
}

/** A store that opens a copy of the records of a root, after a hand changed them. */
export async function reopened(
  root: string,
  change: (copy: string) => Promise<void> = async () => undefined,
): Promise<{ store: DiskSessionStore; root: string }> {
  const copy = copyOfRecords(root);
  await change(copy);
  return { root: copy, store: new DiskSessionStore({ rootDir: copy }) };
}
