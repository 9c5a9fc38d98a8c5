/**
 * Tells whether an object of one of our classes is as the class made it. It is not when it is
 * of a subclass or behind a `Proxy`, or when a method was replaced on it or on a prototype.
 *
 * No code of the application observes the methods of a pristine object, so the core is called
 * without them.
 */

import { types } from 'node:util';

type Class = abstract new (...args: never[]) => object;

/** Whether a value is exactly of a class, with the methods that the class was defined with. */
export type Pristine = (value: unknown) => value is object;

/**
 * The test for objects of a class, whose methods are remembered as they are now:
 * to be called where the class is defined.
 */
export function pristine(ofClass: Class): Pristine {
  const prototypes = chain(ofClass.prototype);
  const keys = new Set(prototypes.flatMap((prototype) => Reflect.ownKeys(prototype)));
  keys.delete('constructor');
  const methods = [...keys].map((key) => [key, find(prototypes, key)] as const);

  return (value): value is object => {
    if (typeof value !== 'object' || value === null || types.isProxy(value)) return false;
    const objects = chain(value);
    return (
      objects.length === prototypes.length + 1 &&
      prototypes.every((prototype, at) => objects[at + 1] === prototype) &&
      methods.every(([key, method]) => {
        const found = find(objects, key);
        return found?.value === method?.value && found?.get === method?.get;
      })
    );
  };
}

/** An object and its prototypes, without `Object.prototype`. */
function chain(first: object): object[] {
  const objects: object[] = [];
  let at: object | null = first;
  while (at !== null && at !== Object.prototype) {
    objects.push(at);
    at = Object.getPrototypeOf(at);
  }
  return objects;
}

/** What looking a key up finds. */
function find(objects: readonly object[], key: PropertyKey): PropertyDescriptor | undefined {
  for (const object of objects) {
    const found = Object.getOwnPropertyDescriptor(object, key);
    if (found !== undefined) return found;
  }
  return undefined;
}
