import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The journal's header; frames come behind it. */
const HEADER_BYTES = 64;

export const engineFile = (root: string, name: string) => join(root, '.store', name);

/** Whether the journal holds its header and not a byte more. */
export function journalIsEmpty(root: string): boolean {
  return readFileSync(engineFile(root, 'frames')).length === HEADER_BYTES;
}

/** What waits to be unlinked. */
export function trashOf(root: string): string[] {
  const trash = engineFile(root, 'trash');
  return existsSync(trash) ? readdirSync(trash) : [];
}

/** Names of the files below a directory that hold a text, or are named by it. */
export function filesWith(dir: string, text: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.name.includes(text) || (entry.isFile() && readFileSync(path).includes(text));
    })
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
}
