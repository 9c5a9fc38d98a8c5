// What memory it takes to keep sessions and their messages in memory stores.

import { ratioSpread, takeTurns } from '../harness.mjs';
import { chosen, runChild, runGroup } from './group.mjs';

const MEGABYTE = 1e6;

export async function compareMemoryHeld({ effort, only }) {
  const sessions = effort.heldSessions;
  const title = `memory store, resident memory: ${sessions.toLocaleString('en')} sessions`;
  const cases = [{ name: 'with 10 messages each' }];
  await runGroup(
    { title, columns: ['ours', 'Map store'], ratioOf: 'Map store over ours', unit: 'MB' },
    chosen(title, cases, only),
    async () => {
      const held = async (store) => {
        const { before, bytes } = await runChild('held.mjs', store, `${sessions}`);
        return (bytes - before) / MEGABYTE;
      };
      return takeTurns([() => held('ours'), () => held('map')], Math.min(effort.processes, 3));
    },
    (mine, theirs) => ratioSpread(theirs, mine),
  );
}
