// The methods of our stores beyond the contract, against a baseline's own or what takes their
// place.

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { extendedMethods } from '../cases/extended-methods.mjs';
import { alternate, ratioSpread, uncapped } from '../harness.mjs';
import { againstBaselines, chosen, runGroup, withStores } from './group.mjs';

export function compareExtendedMethods({ directory, effort, only, baselines }) {
  return againstBaselines(baselines, async ({ title: pair, like, openers, baseline }) => {
    const title = `extended methods: ${pair}`;
    const wanted = chosen(title, extendedMethods, only);
    if (wanted.length === 0) return;
    const has = await methodsOf(directory, baseline.open);
    const cases = wanted.filter(
      ({ method, changes, lasting, instead }) =>
        (changes || like !== 'full') &&
        !(lasting && like === 'memory') &&
        (has(method) || instead !== undefined),
    );
    await runGroup(
      {
        title,
        columns: ['ours', 'baseline'],
        ratioOf: 'baseline over ours',
        forgiving: baseline.foreign,
      },
      cases,
      ({ method, changes, maxCalls, prepare, instead }, rounds) =>
        withStores(directory, openers, async (stores, own) => {
          const contenders = [];
          for (const [i, store] of stores.entries()) {
            const contender = typeof store[method] === 'function' ? prepare : instead;
            const another = async () => openers[i](await mkdtemp(join(own, 'another-')), 1);
            contenders.push(await contender(store, effort.families, another));
          }
          const effortHere = rounds(effort);
          if (!changes) return alternate(contenders, uncapped(effortHere));
          const few = like !== 'memory' && maxCalls !== undefined;
          return alternate(contenders, few ? { ...effortHere, maxCalls } : effortHere);
        }),
      (mine, theirs) => ratioSpread(theirs, mine),
    );
  });
}

/** Which methods a store has, asked of one that is thrown away. */
function methodsOf(directory, open) {
  return withStores(
    directory,
    [open],
    async ([store]) =>
      (method) =>
        typeof store[method] === 'function',
  );
}
