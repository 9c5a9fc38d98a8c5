// Every method of our stores against the same method of somebody else's.

import { requireAgreement } from '../agreement.mjs';
import { baselines } from '../baselines/index.mjs';
import { storeMethods } from '../cases/store-methods.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

/** Calls in a turn that leave deleted files behind on a disk. */
const MAX_REPLACING = 20;

/**
 * Which of our stores a baseline is compared with, by its kind. The obvious store never syncs:
 * `relaxed` is its like. `full` does more than it does, and reads no differently than `relaxed`.
 */
const CONTENDERS = {
  disk: [
    {
      name: 'disk store, relaxed,',
      open: OURS.relaxed,
      cases: storeMethods,
      targets: new Map([
        ['createSession', { atLeast: 2 }],
        ['getSession', { atLeast: 3 }],
        ['updateSession', { atLeast: 2 }],
        ['appendMessage', { atLeast: 2 }],
        ['loadMessages (1,000)', { atLeast: 1.5 }],
      ]),
    },
    {
      name: 'disk store, full,',
      open: OURS.full,
      cases: storeMethods.filter(({ changes }) => changes),
      targets: new Map([['appendMessage', { atLeast: 1 }]]),
    },
  ],
  memory: [{ name: 'memory store', open: OURS.memory, cases: storeMethods, targets: new Map() }],
};

export async function compareWithBaselines(directory, effort, only) {
  const groups = [];
  for (const baseline of baselines) {
    for (const ours of CONTENDERS[baseline.kind]) {
      const title = `${ours.name} against the ${baseline.name}`;
      const openers = [ours.open, baseline.open];
      const cases = chosen(title, ours.cases, only);
      if (cases.length === 0) continue;
      await withStores(directory, openers, ([mine, theirs]) =>
        requireAgreement(mine, theirs, baseline.name),
      );
      groups.push(
        ...(await runGroup(
          { title, columns: ['ours', 'baseline'], ratioOf: 'baseline over ours' },
          cases.map((one) => ({ ...one, target: ours.targets.get(one.name) })),
          ({ prepare, replacesFiles }) =>
            withStores(directory, openers, async (stores) => {
              const contenders = [];
              for (const store of stores) contenders.push(await prepare(store));
              const capped = replacesFiles && baseline.kind === 'disk';
              return alternate(
                contenders,
                capped ? { ...effort, maxCalls: MAX_REPLACING } : effort,
              );
            }),
          (mine, theirs) => ratioSpread(theirs, mine),
        )),
      );
    }
  }
  return groups;
}
