/** Turns the marked plain errors of the compiled core into the classes of this package. */

import * as classes from './index';

type ErrorClass = new (details: never) => Error;

const CLASSES: ReadonlyMap<string, ErrorClass> = new Map(Object.entries(classes));

/** How an error of the core looks: its class by name, its details as JSON. */
interface MarkedError {
  readonly namzuError: string;
  readonly message: string;
  readonly details?: string;
}

/**
 * What to throw for something that a native call threw. An error that is not
 * marked is handed back as it is: it may be the application's own object.
 *
 * The mark decides, not `instanceof`: the core creates its errors in the main
 * realm, which is not that of a test runner's sandbox.
 */
export function publicError(thrown: unknown): unknown {
  if (!isMarked(thrown)) return thrown;
  const { namzuError, message, details } = thrown;
  const errorClass = CLASSES.get(namzuError);
  const error =
    errorClass === undefined
      ? new Error(message)
      : new errorClass((details === undefined ? undefined : JSON.parse(details)) as never);
  // The stack starts at the method that the application called.
  Error.captureStackTrace(error, publicError);
  return error;
}

function isMarked(thrown: unknown): thrown is MarkedError {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    typeof (thrown as { namzuError?: unknown }).namzuError === 'string'
  );
}
