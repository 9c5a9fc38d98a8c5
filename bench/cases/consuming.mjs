/**
 * Calls that use a record up: the records of a round are made before its clock starts.
 *
 * @template T
 * @param {(number: number) => Promise<T>} create
 * @param {(record: T, sequence: number) => Promise<unknown>} consume
 * @returns {import('../harness.mjs').Contender}
 */
export function consuming(create, consume) {
  const ready = [];
  let created = 0;
  return {
    before: async (count) => {
      while (ready.length < count) ready.push(await create(created++));
    },
    call: (i) => consume(ready.pop(), i),
  };
}
