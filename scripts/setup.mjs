/**
 * Makes a clone ready to run: installs and builds what is missing or stale, and
 * is quick when nothing is. It needs nothing but Node.js and Rust.
 */

import { pathToFileURL } from 'node:url';
import { installDependencies } from './dependencies.mjs';
import { buildFacade } from './facade.mjs';
import { buildNative } from './native.mjs';
import { main } from './run.mjs';

export function setup() {
  installDependencies();
  buildNative();
  buildFacade();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(setup);
