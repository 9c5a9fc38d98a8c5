/**
 * Writes the tarballs that are published: that of the main package, and that of each
 * platform's package.
 *
 *   npm run pack:all -- <folder>         the main package, and the package of this machine
 *   npm run pack:all -- <folder> --all   the same for all platforms, whose binaries must be there
 *
 * What npm gets is not the folder of the repository but a copy, with a manifest of
 * its own: only that one lists the platforms' packages as optional dependencies. In
 * the repository they would be in the lock file, and `npm ci` would ask a registry
 * for the very packages that this repository is about to publish.
 */

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installDependencies } from './dependencies.mjs';
import { buildFacade } from './facade.mjs';
import { binaryOf, manifest, PLATFORMS, packageOf, thisPlatform } from './platforms.mjs';
import { CommandFailed, main, ROOT, runNpm } from './run.mjs';
import { setup } from './setup.mjs';

const LICENCES = ['LICENSE-MIT', 'LICENSE-APACHE'];

/** What of the manifest concerns the repository alone. */
const OF_THE_REPOSITORY = ['scripts', 'devDependencies', 'private'];

const [folder, option] = process.argv.slice(2);
const forAllPlatforms = option === '--all';

main(() => {
  if (folder === undefined || (option !== undefined && option !== '--all')) {
    throw new CommandFailed('usage: npm run pack:all -- <folder> [--all]');
  }
  const platforms = forAllPlatforms ? Object.keys(PLATFORMS) : [thisPlatform()];
  // The binaries of all platforms were built elsewhere, this machine's as well.
  if (forAllPlatforms) {
    installDependencies();
    buildFacade();
  } else setup();
  const destination = resolve(folder);
  mkdirSync(destination, { recursive: true });
  for (const platform of platforms) packPlatform(platform, destination);
  packMain(destination);
});

function packMain(destination) {
  const packed = { ...manifest() };
  for (const key of OF_THE_REPOSITORY) delete packed[key];
  Object.assign(packed, origin());
  packed.optionalDependencies = Object.fromEntries(
    Object.keys(PLATFORMS).map((platform) => [packageOf(platform), packed.version]),
  );
  const entryPoints = readdirSync(ROOT).filter((name) => /\.(mjs|d\.ts|d\.mts)$/.test(name));
  pack(
    packed,
    ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'dist', 'docs', ...entryPoints, ...LICENCES].map(
      (name) => [join(ROOT, name), name],
    ),
    destination,
  );
}

function packPlatform(platform, destination) {
  const binary = join(ROOT, 'native', binaryOf(platform));
  if (!existsSync(binary)) {
    throw new CommandFailed(
      `${binary} is missing: build it with "node scripts/native.mjs ${platform}"`,
    );
  }
  const packed = { ...manifest('npm', platform), version: manifest().version, ...origin() };
  pack(
    packed,
    [
      [binary, binaryOf(platform)],
      [join(ROOT, 'npm', platform, 'README.md'), 'README.md'],
      ...LICENCES.map((name) => [join(ROOT, name), name]),
    ],
    destination,
  );
}

/** What `repository` in package.json says until the maintainers have put their own there. */
const UNKNOWN_OWNER = 'github.com/OWNER/';

/**
 * Where the package comes from: what the workflow that publishes it knows, or else `repository` in
 * package.json, which is the one place to change. npm accepts a statement of provenance only
 * for a package that names it.
 */
function origin() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  const home =
    server !== undefined && repository !== undefined
      ? `${server}/${repository}`
      : manifest().repository.url.replace(/^git\+|\.git$/g, '');
  if (forAllPlatforms && home.includes(UNKNOWN_OWNER)) {
    throw new CommandFailed('package.json does not name the repository yet: set its "repository"');
  }
  return {
    homepage: `${home}#readme`,
    bugs: `${home}/issues`,
    repository: { type: 'git', url: `git+${home}.git` },
  };
}

/** Packs a manifest and copies of files. */
function pack(packed, files, destination) {
  const staged = mkdtempSync(join(tmpdir(), 'namzu-native-pack-'));
  try {
    writeFileSync(join(staged, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
    for (const [from, name] of files) cpSync(from, join(staged, name), { recursive: true });
    runNpm(['pack', staged, '--pack-destination', destination, '--ignore-scripts', '--silent']);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}
