/** The platforms that the package is published for, and what each is called where. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.mjs';

/**
 * By the name that the loader in `lib/native.ts` spells; the package of a platform is
 * `namzu-native-<name>`, and its template is `npm/<name>/`.
 */
export const PLATFORMS = {
  'linux-x64-gnu': 'x86_64-unknown-linux-gnu',
  'linux-x64-musl': 'x86_64-unknown-linux-musl',
  'linux-arm64-gnu': 'aarch64-unknown-linux-gnu',
  'linux-arm64-musl': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64-msvc': 'x86_64-pc-windows-msvc',
  'win32-arm64-msvc': 'aarch64-pc-windows-msvc',
};

/** The name of the platform that this runs on. */
export function thisPlatform() {
  const base = `${process.platform}-${process.arch}`;
  if (process.platform === 'win32') return `${base}-msvc`;
  if (process.platform !== 'linux') return base;
  return `${base}-${process.report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl'}`;
}

/** The name of the package of a platform. */
export function packageOf(platform) {
  return `namzu-native-${platform}`;
}

/** What cargo calls the library that it builds for a platform. */
export function libraryOf(platform) {
  if (platform.startsWith('win32')) return 'namzu_native.dll';
  return platform.startsWith('darwin') ? 'libnamzu_native.dylib' : 'libnamzu_native.so';
}

/** Where the binary of a platform is kept in the repository, and what it is called in its package. */
export function binaryOf(platform) {
  return `namzu-native.${platform}.node`;
}

/** A manifest of this repository. */
export function manifest(...path) {
  return JSON.parse(readFileSync(join(ROOT, ...path, 'package.json'), 'utf8'));
}
