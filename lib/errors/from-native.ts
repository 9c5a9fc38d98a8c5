/** Turns the marked plain errors of the compiled core into the classes of this package. */

import * as classes from './index';

type ErrorClass = new (
  details: never,
  options: { message: string; place: string | undefined },
) => Error;

const CLASSES = new Map(Object.entries(classes)) as ReadonlyMap<string, ErrorClass>;

/** How an error of the core looks: its class by name, its details as JSON. */
interface MarkedError {
  readonly namzuError: string;
  readonly message: string;
  readonly details?: string;
  /** Where the store is that it comes from. */
  readonly place?: string;
}

/** Values that plug-ins threw, by the number under which the core knows them. */
export type Thrown = readonly unknown[];

/**
 * What to throw for something that a native call threw. An error that is not
 * marked is handed back as it is: it may be the application's own object. What
 * one of its plug-ins threw is the very value that is kept in `foreign`.
 *
 * The mark decides, not `instanceof`: the core creates its errors in the main
 * realm, which is not that of a test runner's sandbox.
 */
export function publicError(thrown: unknown, foreign: Thrown = []): unknown {
  if (!isMarked(thrown)) return thrown;
  const { namzuError, message, details: text, place } = thrown;
  const details = text === undefined ? undefined : JSON.parse(text);
  if (namzuError === 'Foreign' && details.thrown in foreign) return foreign[details.thrown];
  // An error that led to this one crosses as the core marked it.
  if (details?.cause !== undefined) details.cause = publicError(details.cause, foreign);
  const errorClass = CLASSES.get(namzuError);
  const error =
    errorClass === undefined
      ? Object.assign(new Error(message), details)
      : new errorClass(details as never, { message, place });
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
