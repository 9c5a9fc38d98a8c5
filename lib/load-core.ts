/**
 * Finds and loads the compiled core: the package of this platform, or in a clone of the
 * repository the file that its build placed.
 *
 * Bundlers leave the core out of what they write: the `require` below is not the module's
 * own. Tools that trace files follow it, as they know `createRequire`.
 */

import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { version } from '../package.json';

// File tracers follow what this function makes under this very name.
const { createRequire } = nodeModule;

/** A core that is there. */
interface Candidate {
  readonly target: string;
  readonly path: string;
  load(): unknown;
}

/**
 * Loads the core.
 *
 * @throws Error when there is none, it does not load, or it is of another version.
 */
export function loadCore(): unknown {
  const core = choose(targets().flatMap((target) => find(target) ?? []));
  if (core === undefined) throw missing();
  let loaded: unknown;
  try {
    loaded = core.load();
  } catch (error) {
    throw new Error(
      `The compiled core of namzu-native at ${core.path} could not be loaded: ${advice()}`,
      { cause: error },
    );
  }
  checkVersion(core, loaded);
  return loaded;
}

/** On Linux there are two, one for each C library. */
function targets(): readonly string[] {
  const base = `${process.platform}-${process.arch}`;
  if (process.platform === 'linux') return [`${base}-gnu`, `${base}-musl`];
  return [process.platform === 'win32' ? `${base}-msvc` : base];
}

/** Package managers install one of the two; the report, which takes milliseconds, settles the rest. */
function choose(candidates: readonly Candidate[]): Candidate | undefined {
  if (candidates.length < 2) return candidates[0];
  const libc = cLibrary();
  return candidates.find(({ target }) => target.endsWith(`-${libc}`)) ?? candidates[0];
}

/** The C library that this process runs on, where Node.js says so. */
function cLibrary(): 'gnu' | 'musl' | undefined {
  const report = process.report as
    | (NodeJS.ProcessReport & { excludeNetwork?: boolean })
    | undefined;
  if (typeof report?.getReport !== 'function') return undefined;
  const { excludeNetwork } = report;
  // Otherwise it would look up the names of network peers.
  report.excludeNetwork = true;
  try {
    const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } };
    if (header === undefined) return undefined;
    return header.glibcVersionRuntime ? 'gnu' : 'musl';
  } finally {
    if (excludeNetwork !== undefined) report.excludeNetwork = excludeNetwork;
  }
}

function find(target: string): Candidate | undefined {
  return built(target) ?? installed(target);
}

/** The core that the repository's own build placed. */
function built(target: string): Candidate | undefined {
  if (typeof __dirname !== 'string') return undefined;
  const path = join(__dirname, '..', 'native', `namzu-native.${target}.node`);
  return existsSync(path)
    ? { target, path, load: () => createRequire(__filename)(path) }
    : undefined;
}

/** The core of the platform's package. */
function installed(target: string): Candidate | undefined {
  for (const from of places()) {
    const path = resolve(from, `namzu-native-${target}`);
    if (path !== undefined) return { target, path, load: () => requirePackage(from, target) };
  }
  return undefined;
}

/**
 * From where the package is looked for: here, and where this was bundled into a program,
 * the program's own file. A package manager that keeps packages apart has it beside
 * namzu-native only, which is looked for in turn.
 */
function places(): readonly string[] {
  const files = [typeof __filename === 'string' ? __filename : undefined, process.argv[1]];
  return files.flatMap((file) => {
    if (file === undefined) return [];
    return [file, resolve(file, 'namzu-native/package.json') ?? []].flat();
  });
}

function resolve(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

/** Spelled out: a computed name is nothing that a file tracer could follow. */
function requirePackage(from: string, target: string): unknown {
  const require = createRequire(from);
  switch (target) {
    case 'linux-x64-gnu':
      return require('namzu-native-linux-x64-gnu');
    case 'linux-x64-musl':
      return require('namzu-native-linux-x64-musl');
    case 'linux-arm64-gnu':
      return require('namzu-native-linux-arm64-gnu');
    case 'linux-arm64-musl':
      return require('namzu-native-linux-arm64-musl');
    case 'darwin-x64':
      return require('namzu-native-darwin-x64');
    case 'darwin-arm64':
      return require('namzu-native-darwin-arm64');
    case 'win32-x64-msvc':
      return require('namzu-native-win32-x64-msvc');
    case 'win32-arm64-msvc':
      return require('namzu-native-win32-arm64-msvc');
    default:
      throw new Error(`There is no package namzu-native-${target}`);
  }
}

function checkVersion({ path, target }: Candidate, loaded: unknown): void {
  const found = (loaded as { coreVersion?: () => string }).coreVersion?.();
  if (found === version) return;
  throw new Error(
    `The compiled core of namzu-native at ${path} is version ${found ?? 'unknown'}, but ` +
      `namzu-native itself is ${version}: install namzu-native-${target}@${version}, or in a clone ` +
      'of the repository run "npm run build"',
  );
}

function missing(): Error {
  return new Error(
    `The compiled core of namzu-native for ${process.platform}-${process.arch} is missing: ${advice()}`,
  );
}

/** What to do where no core can be loaded. */
function advice(): string {
  const libc = process.platform === 'linux' ? cLibrary() : undefined;
  const packages = targets()
    .filter((target) => libc === undefined || target.endsWith(`-${libc}`))
    .map((target) => `namzu-native-${target}`);
  return (
    `install the optional package ${packages.join(' or ')} (npm does unless optional ` +
    'dependencies are omitted), put it beside a bundled program (see docs/bundlers.md of ' +
    'namzu-native), or build it from source with "npm run build" in a clone of the repository'
  );
}
