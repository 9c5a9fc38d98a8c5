import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

/** Every name below a directory, relative, with `/` and sorted; directories end in `/`. */
export async function namesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => {
      const path = relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/');
      return entry.isDirectory() ? `${path}/` : path;
    })
    .sort();
}

/** Name to bytes (base64) of every file below the given directories of a root. */
export async function bytesOf(root: string, dirs: readonly string[]): Promise<Map<string, string>> {
  const tree = new Map<string, string>();
  for (const dir of dirs) {
    for (const name of await namesBelow(join(root, dir))) {
      const path = join(root, dir, name);
      tree.set(`${dir}/${name}`, name.endsWith('/') ? '' : await readFile(path, 'base64'));
    }
  }
  return tree;
}

export async function readText(root: string, path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

/** Writes a file by hand, as a process that is not ours would. */
export async function writeText(
  root: string,
  path: string,
  text: string | Uint8Array,
): Promise<void> {
  const target = join(root, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
}

export async function readRecord(root: string, path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readText(root, path)) as Record<string, unknown>;
}

/** Replaces keys of a record by hand; `undefined` removes one. */
export async function editRecord(
  root: string,
  path: string,
  change: Record<string, unknown>,
): Promise<void> {
  const record = { ...(await readRecord(root, path)), ...change };
  await writeText(root, path, JSON.stringify(record, null, 2));
}
