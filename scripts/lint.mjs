/** Formatters, linters and type checks. */

import { installDependencies } from './dependencies.mjs';
import { main } from './run.mjs';
import { LINT, runSteps } from './steps.mjs';

main(() => runSteps([['Dependencies', installDependencies], ...LINT]));
