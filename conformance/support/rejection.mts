import { inspect } from 'node:util';
import { expect } from 'vitest';

/** Awaits the rejection of a promise and answers its reason; a promise that resolves is a failure. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  expect(promise, 'an asynchronous method answers a promise').toBeInstanceOf(Promise);
  const settled = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in settled) {
    throw new Error(`expected a rejection, got ${inspect(settled.value, { depth: 3 })}`);
  }
  expect(settled.error).toBeInstanceOf(Error);
  return settled.error as Error;
}

/** As `rejection`, of exactly this class. */
export async function rejectionOf<E extends Error>(
  promise: Promise<unknown>,
  type: new (...args: never[]) => E,
): Promise<E> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(type);
  expect(error.name).toBe(type.name);
  return error as E;
}
