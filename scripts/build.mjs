/**
 * Builds everything: the core, `dist/`, and the committed files that state the
 * public API. With `--check`, the last are compared instead of written.
 */

import { checkPublicApi, writePublicApi } from './public-api.mjs';
import { main } from './run.mjs';
import { setup } from './setup.mjs';

main(() => {
  setup();
  if (process.argv.includes('--check')) checkPublicApi();
  else writePublicApi();
});
