/** What agents can do beside talking. */

import { FIGURES } from './figures.mjs';

export const TOOLS = {
  async read_figures({ year }) {
    return JSON.stringify(FIGURES[year]);
  },

  async add({ numbers }) {
    return String(numbers.reduce((sum, number) => sum + number, 0));
  },
};
