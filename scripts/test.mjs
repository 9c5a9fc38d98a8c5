/** Everything that must hold. */

import { main } from './run.mjs';
import { setup } from './setup.mjs';
import { LINT, runSteps, TESTS } from './steps.mjs';

main(() => runSteps([['Set-up', setup], ...LINT, ...TESTS]));
