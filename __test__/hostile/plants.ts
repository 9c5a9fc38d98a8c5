/** What somebody may plant below a root, and what lies beyond it that must not be reached. */

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { sharedTempDir } from '../support/temp-root.js';

/** What is said in the root; its like beyond says the other. */
export const INSIDE = 'said-inside';
export const OUTSIDE = 'said-beyond';

export const canPlant = process.platform !== 'win32';
export const isRoot = process.getuid?.() === 0;

/** A place, and what lies beyond the root that is like what it holds. */
interface Plant {
  readonly at: string;
  readonly outside: string;
  /** A file beyond the root, where `outside` is a folder. */
  readonly file: string;
  readonly isDir: boolean;
}

async function socket(at: string): Promise<void> {
  // A socket's own path may not be longer than some hundred bytes: it is bound elsewhere.
  const dir = mkdtempSync(join(tmpdir(), 's-'));
  const server = createServer();
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(dir, 's'), resolve);
  });
  renameSync(join(dir, 's'), at);
  onTestFinished(() => {
    server.close();
    rmSync(dir, { recursive: true, force: true });
  });
}

/** What can be planted in place of a file or a folder. */
export const PLANTS: Record<string, (plant: Plant) => unknown> = {
  'a link to its like outside': ({ at, outside }) => symlinkSync(outside, at),
  'a relative link to its like outside': ({ at, outside }) => {
    const up = '../'.repeat(dirname(at).split('/').length - 1);
    symlinkSync(`${up}${outside.slice(1)}`, at);
  },
  'a dangling link': ({ at, outside }) => symlinkSync(`${outside}-new`, at),
  'a link to itself': ({ at }) => symlinkSync(at, at),
  'a pipe': ({ at }) => execFileSync('mkfifo', [at]),
  'a socket': ({ at }) => socket(at),
  'the endless device': ({ at }) => execFileSync('mknod', [at, 'c', '1', '5']),
  'the full device': ({ at }) => execFileSync('mknod', [at, 'c', '1', '7']),
  'another name of a file outside': ({ at, file }) => linkSync(file, at),
  'a folder or a file instead': ({ at, isDir }) =>
    isDir ? writeFileSync(at, OUTSIDE) : mkdirSync(at),
};

/** Like another in all that the store does about it: for the full tier. */
const ALIKE = [
  'a relative link to its like outside',
  'a link to itself',
  'a socket',
  'the full device',
];
/** One of each nature, for places that differ from others by their name alone. */
const NATURES = ['a link to its like outside', 'a pipe', 'another name of a file outside'];

/** The plants of a tier; `few` of them for places that are many. */
export function plants(few = false): [string, (plant: Plant) => unknown][] {
  const isWanted = (name: string) => {
    if (!isRoot && name.includes('device')) return false;
    return process.env.NAMZU_FULL || (few ? NATURES.includes(name) : !ALIKE.includes(name));
  };
  return Object.entries(PLANTS).filter(([name]) => isWanted(name));
}

/** Copies a root to where nothing may be reached, and lets it say the other thing. */
export function copyBeyond(model: string, beyond: string): void {
  cpSync(model, beyond, { recursive: true });
  for (const path of filesBelow(beyond)) {
    let text = readFileSync(path, 'latin1').replaceAll(INSIDE, OUTSIDE);
    // A bundle that says no digests is believed as it is.
    if (path.endsWith('/archive.json')) {
      text = JSON.stringify({ ...JSON.parse(text), files: undefined, sha256: undefined });
    }
    writeFileSync(path, text, 'latin1');
  }
}

function filesBelow(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Every name below a directory with what can be seen of it, as text. */
export function stateOf(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode } = lstatSync(path);
      const holds = entry.isFile() ? readFileSync(path, 'base64') : '';
      return `${path} ${mode.toString(8)} ${holds}`;
    })
    .sort();
}

const stat = (path: string) => lstatSync(path, { throwIfNoEntry: false });

/**
 * Plants something at a place below a root, whose like is at the same place below `beyond`. A
 * place that holds nothing yet is a folder's if it ends in a slash.
 */
export async function plantAt(
  place: string,
  plant: (plant: Plant) => unknown,
  [root, beyond]: readonly [string, string],
): Promise<void> {
  const path = place.replace(/\/$/, '');
  const [at, like] = [join(root, path), join(beyond, path)];
  const isDir = stat(at)?.isDirectory() ?? place.endsWith('/');
  const anyFile = filesBelow(join(beyond, 'projects')).find((name) => /\.jsonl?$/.test(name));
  const file = !isDir && stat(like)?.isFile() ? like : (anyFile as string);
  const outside = stat(like) ? like : isDir ? join(beyond, 'projects') : file;
  rmSync(at, { recursive: true, force: true });
  mkdirSync(dirname(at), { recursive: true });
  await plant({ at, outside, file, isDir });
  expect(stat(at), `${place} is planted`).toBeDefined();
}

/** The answer of a call as text; fails when there is none, or an error that is not expected. */
export async function answerOf(
  name: string,
  call: () => Promise<unknown>,
  errors: readonly string[],
  untyped: RegExp,
): Promise<string> {
  const answered = call().then(
    (value) => JSON.stringify(value) ?? 'undefined',
    (error) => {
      if (error.name === 'Error') expect(error.message, name).toMatch(untyped);
      else expect(errors, `${name}: ${error.stack}`).toContain(error.name);
      return `${error.name}: ${error.message} ${JSON.stringify(error.details)}`;
    },
  );
  const hangs = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error(`${name} hangs`)), 10_000).unref(),
  );
  return `${name}: ${await Promise.race([answered, hangs])}`;
}

/** A root to plant in, the model that it is a copy of, and what lies beyond it. */
export function plantedRoots() {
  const dir = sharedTempDir();
  const at = (name: string) => join(dir, name);
  const roots = { dir, model: at('model'), beyond: at('beyond'), root: at('root') };
  const renew = (from = roots.model) => {
    rmSync(roots.root, { recursive: true, force: true });
    cpSync(from, roots.root, { recursive: true });
  };
  return { ...roots, renew };
}

/** Plants something in a new copy of the model: what `everything` does reaches nothing beyond. */
export async function expectNothingBeyond(
  { dir, beyond, root, renew }: ReturnType<typeof plantedRoots>,
  before: string[],
  [place, plant]: readonly [string, (plant: Plant) => unknown],
  everything: (root: string) => Promise<string[]>,
): Promise<void> {
  renew();
  await plantAt(place, plant, [root, beyond]);
  const answers = await everything(root);
  expect(answers.join('\n')).not.toContain(OUTSIDE);
  expect(stateOf(beyond)).toStrictEqual(before);
  expect(readdirSync(dir).sort()).toStrictEqual(['beyond', 'model', 'root']);
}
