// The archive of a baseline: a bundle is one file of JSON, written beside and renamed.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mintId } from './mint-id.mjs';

export class PlainArchive {
  kind = 'plain';
  #folder;

  /** @param {string} directory to keep the bundles in */
  constructor(directory) {
    this.#folder = join(directory, 'archive');
  }

  async store(input) {
    const [archiveRef, archivedAt] = [mintId('arc'), new Date()];
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, archiveRef);
    await writeFile(`${path}.tmp`, JSON.stringify(input));
    await rename(`${path}.tmp`, path);
    return { archiveRef, archivedAt };
  }

  async restore(archiveRef) {
    const input = JSON.parse(await readFile(join(this.#folder, archiveRef), 'utf8'));
    for (const dated of [...input.messages, input.summaryRef]) {
      if (dated !== undefined) dated.at = new Date(dated.at);
    }
    return input;
  }
}
