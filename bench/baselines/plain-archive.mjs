// The archives of baselines. On a disk a bundle is one file of JSON with its SHA-256, written beside
// and renamed. As ours it is verified before it is believed, and where it is to outlive a power
// cut, it is synced before the rename and its folder after. In memory it is the JSON.

import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { mintId } from './mint-id.mjs';

export class PlainArchive {
  kind = 'plain';
  #folder;
  #syncs;

  /**
   * @param {string} directory to keep the bundles in
   * @param {boolean} syncs
   */
  constructor(directory, syncs) {
    this.#folder = join(directory, 'archive');
    this.#syncs = syncs;
  }

  async store(input) {
    const [archiveRef, archivedAt] = [mintId('arc'), new Date()];
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, archiveRef);
    const text = JSON.stringify(input);
    const file = await open(`${path}.tmp`, 'w');
    try {
      await file.writeFile(`${sha256(text)}\n${text}`);
      if (this.#syncs) await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.tmp`, path);
    if (this.#syncs) await syncFolder(this.#folder);
    return { archiveRef, archivedAt };
  }

  async restore(archiveRef) {
    const bundle = await readFile(join(this.#folder, archiveRef), 'utf8');
    const [sum, text] = bundle.split('\n', 2);
    if (sha256(text) !== sum) throw new Error(`Bundle ${archiveRef} is damaged`);
    return read(text);
  }
}

export class HeldArchive {
  kind = 'held';
  #bundles = new Map();

  async store(input) {
    const [archiveRef, archivedAt] = [mintId('arc'), new Date()];
    this.#bundles.set(archiveRef, JSON.stringify(input));
    return { archiveRef, archivedAt };
  }

  async restore(archiveRef) {
    return read(this.#bundles.get(archiveRef));
  }
}

function read(text) {
  const input = JSON.parse(text);
  for (const dated of [...input.messages, input.summaryRef]) {
    if (dated !== undefined) dated.at = new Date(dated.at);
  }
  return input;
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}

async function syncFolder(path) {
  // Windows syncs no folder.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
