/** What the error classes have in common. */

/** An error that says what went wrong in `details` as well as in words. */
export abstract class DetailedError<Details extends object> extends Error {
  /** What went wrong, for a program to read. */
  readonly details: Details;

  constructor(message: string, details: Details, options?: { cause?: unknown }) {
    super(message, options);
    this.details = details;
  }
}

/**
 * Names an error class. The name sits on the prototype and is written out,
 * because V8 reads it there for the head of `stack`, and because a minifier
 * may rename the class itself.
 */
export function named(errorClass: { prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, 'name', {
    value: name,
    writable: true,
    configurable: true,
  });
}

/** The options that hand on a cause, if there is one. */
export function causedBy(details: { cause?: unknown }): { cause?: unknown } | undefined {
  return 'cause' in details ? { cause: details.cause } : undefined;
}

const SHOWN_OF_AN_ID = 32;

/** An id that was refused, in quotes. It may be anything, a whole document or a secret included. */
export function shortened(id: string): string {
  const text = String(id);
  return JSON.stringify(text.length > SHOWN_OF_AN_ID ? `${text.slice(0, SHOWN_OF_AN_ID)}…` : text);
}
