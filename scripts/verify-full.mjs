/** The proofs that take longer than `npm test` may. */

import { main } from './run.mjs';
import { setup } from './setup.mjs';
import { FULL, runSteps } from './steps.mjs';

main(() => runSteps([['Set-up', setup], ...FULL]));
