// Any package that exports `DiskSessionStore` and `InMemorySessionStore` with the contract's shape.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * @param {string} peer a folder with a package in it, a module's file, or the name of a package
 * @param {string} from where a relative path starts, and where a package of that name is looked for
 * @param {string} directory that the run may write to
 * @returns {Promise<{ exports: Record<string, any>, version: string }>}
 */
export async function loadPeerPackage(peer, from, directory) {
  const path = resolve(from, peer);
  if (/\.[cm]?js$/.test(path) && existsSync(path)) {
    return { exports: plain(await import(pathToFileURL(path))), version: 'unknown' };
  }
  const folder = existsSync(join(path, 'package.json')) ? path : join(from, 'node_modules', peer);
  if (!existsSync(join(folder, 'package.json'))) {
    throw new Error(
      `BENCH_PEER=${peer} is no package: there is no ${join(folder, 'package.json')}`,
    );
  }
  // Imported by a name, as an application does: a package's exports apply to nothing else.
  const beside = join(directory, 'peer');
  mkdirSync(join(beside, 'node_modules'), { recursive: true });
  symlinkSync(folder, join(beside, 'node_modules', 'bench-peer'), 'junction');
  const entry = join(beside, 'entry.mjs');
  writeFileSync(entry, "export * as peer from 'bench-peer';\n");
  const { version = 'unknown' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { exports: plain((await import(pathToFileURL(entry))).peer), version };
}

/** What CommonJS exports may be seen as the default export alone. */
function plain(module) {
  return module.DiskSessionStore === undefined ? { ...module.default, ...module } : module;
}
