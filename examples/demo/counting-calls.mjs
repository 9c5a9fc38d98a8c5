/**
 * The same store, with its calls counted: an application can wrap a store in a Proxy.
 *
 * @param {import('namzu-native').SessionStore} inner
 * @returns {{ store: import('namzu-native').SessionStore, calls: () => number }}
 */
export function countingCalls(inner) {
  let count = 0;
  const store = new Proxy(inner, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...parameters) => {
        count += 1;
        return member.apply(target, parameters);
      };
    },
  });
  return { store, calls: () => count };
}
