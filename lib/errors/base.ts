/** What the error classes have in common. */

/**
 * An error of this package. Its `name` is its own and enumerable, as in `@namzu/sdk`, so that
 * a copy of the error (`{ ...error }`) and a log of it still say what it is.
 */
export abstract class NamzuError extends Error {
  /** What went wrong, in a word that stays: `NAMZU_` and the name of the class. */
  declare readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.prototype.name;
  }

  /** What `JSON.stringify` writes, whatever the error's cause is. */
  toJSON(): { name: string; message: string; code: string; details?: unknown } {
    const { name, message, code } = this;
    return { name, message, code };
  }
}

/** An error that says what went wrong in `details` as well as in words. */
export abstract class DetailedError<Details extends object> extends NamzuError {
  /** What went wrong, for a program to read. */
  details: Details;

  constructor(message: string, details: Details, options?: { cause?: unknown }) {
    super(message, options);
    this.details = details;
  }

  override toJSON(): { name: string; message: string; code: string; details: unknown } {
    return { ...super.toJSON(), details: plain(this.details) };
  }
}

/** Details as JSON can express them: a cause, or what was given, may be any value at all. */
function plain(details: object): unknown {
  const entries = Object.entries(details);
  return Object.fromEntries(entries.map(([key, value]) => [key, expressible(value)]));
}

/** What JSON can express of a value: of an error its name and message, of others a text. */
function expressible(value: unknown): unknown {
  const hasOwnText = typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function';
  if (value instanceof Error && !hasOwnText) {
    const { name, message } = value;
    return { name, message };
  }
  try {
    JSON.stringify(value);
    return value;
  } catch {
    return textOf(value);
  }
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'something that has no text';
  }
}

/**
 * Names an error class, and gives it its code. Both sit on the prototype and are written out,
 * because V8 reads the name there for the head of `stack`, and because a minifier may rename
 * the class itself.
 */
export function named(errorClass: { prototype: NamzuError }, name: string): void {
  const words = name.replace(/Error$/, '').replace(/(?<=[a-z])(?=[A-Z])/g, '_');
  const values = { name, code: `NAMZU_${words.toUpperCase()}` };
  for (const [key, value] of Object.entries(values)) {
    Object.defineProperty(errorClass.prototype, key, { value, writable: true, configurable: true });
  }
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
