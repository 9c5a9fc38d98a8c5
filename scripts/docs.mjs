/** Writes `docs/api.md`, with the other files that state the public API. Needs no Rust. */

import { installDependencies } from './dependencies.mjs';
import { writePublicApi } from './public-api.mjs';
import { main } from './run.mjs';

main(() => {
  installDependencies();
  writePublicApi();
});
