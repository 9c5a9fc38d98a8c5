import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @typedef {object} DiskUsage
 * @property {number} files
 * @property {number} bytes
 */

/**
 * What the records take, and what the engine's own directory (`.store/`) takes beside them.
 *
 * @param {string} root
 * @returns {Promise<{ records: DiskUsage, engine: DiskUsage }>}
 */
export async function diskUsage(root) {
  const usage = { records: { files: 0, bytes: 0 }, engine: { files: 0, bytes: 0 } };
  for (const entry of await readdir(root, { withFileTypes: true })) {
    await add(join(root, entry.name), entry, usage[entry.name === '.store' ? 'engine' : 'records']);
  }
  return usage;
}

async function add(path, entry, usage) {
  if (entry.isDirectory()) {
    for (const child of await readdir(path, { withFileTypes: true })) {
      await add(join(path, child.name), child, usage);
    }
  } else {
    usage.files += 1;
    usage.bytes += (await stat(path)).size;
  }
}
