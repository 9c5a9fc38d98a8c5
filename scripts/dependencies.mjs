/** Installs the development dependencies when they are not what the lock file says. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runNpm } from './run.mjs';

export function installDependencies() {
  if (upToDate()) return;
  console.log('Installing the development dependencies …');
  // No package here needs its install script to work.
  runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
}

/** Compares with the record that npm keeps of what it installed. */
function upToDate() {
  const wanted = packagesOf(join(ROOT, 'package-lock.json'));
  const installed = packagesOf(join(ROOT, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  const isInstalled = ([path, { version, optional }]) =>
    path === '' || (installed[path] ? installed[path].version === version : optional === true);
  return (
    Object.entries(wanted).every(isInstalled) &&
    Object.keys(installed).every((path) => wanted[path] !== undefined)
  );
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
