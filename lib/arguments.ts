/**
 * Checks of arguments, before anything crosses into the core: there a number
 * would silently become a string, and a lone surrogate a replacement character.
 * What a record contains is the core's to check.
 */

import { fileURLToPath } from 'node:url';
import { types } from 'node:util';
import { InvalidArgumentError, InvalidIdError } from './errors';
import { isDeeperThan, MAX_JSON_DEPTH } from './json-depth';

/** The text of an argument, a string of any content. */
export function string(argument: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid(argument, 'a string', value, string);
}

/**
 * The id of what is to be written to. A lone surrogate would reach the core as
 * another character, so it is refused here, as the core refuses any other.
 */
export function writtenId(argument: string, kind: string, prefix: string, value: unknown): string {
  const id = string(argument, value);
  if (id.isWellFormed()) return id;
  throw new InvalidIdError({ kind, value: id, expected: `\`${prefix}\` and ASCII characters` });
}

/** A date that may be absent; JSON would make an invalid one look absent. */
export function optionalDate(argument: string, value: unknown): void {
  if (value instanceof Date && Number.isNaN(value.getTime())) {
    throw invalid(argument, 'a valid date', value, optionalDate);
  }
}

/** A copy of a date, of any realm. */
export function date(argument: string, value: unknown): Date {
  if (types.isDate(value) && !Number.isNaN(value.getTime())) return new Date(value);
  throw invalid(argument, 'a valid date', value, date);
}

/** The tenant that asks. */
export function tenant(value: unknown): string {
  if (isName(value)) return value;
  throw invalid('tenantId', 'a non-empty, well-formed string', value, tenant);
}

/** An owner version, or `null` when none is expected. */
export function ownerVersion(value: unknown): number | null {
  if (value === undefined) return null;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalid('expectedOwnerVersion', 'a non-negative integer', value, ownerVersion);
}

/**
 * The path of a file or folder, given as a path or as a `file:` URL object. A string that
 * looks like a URL is refused: as a path it would name a folder `file:`. So is `~`.
 */
export function path(argument: string, value: unknown): string {
  if (Object.prototype.toString.call(value) === '[object URL]') {
    return pathOfUrl(argument, value as URL);
  }
  if (!isName(value) || value.includes('\0')) {
    throw invalid(argument, 'a non-empty, well-formed path without NUL', value, path);
  }
  if (LOOKS_LIKE_A_URL.test(value)) {
    throw invalid(argument, 'a path, or a `file:` URL object (`new URL(…)`)', value, path);
  }
  if (!LOOKS_LIKE_A_HOME.test(value)) return value;
  const expected = 'a path: only a shell replaces `~`, so join `os.homedir()` and the rest';
  throw invalid(argument, expected, value, path);
}

/** A `file:` URL, as `new URL('./data', import.meta.url)` makes one. */
export interface FileUrl {
  readonly href: string;
  readonly protocol: string;
}

/** It would become a folder that is called `~`. */
const LOOKS_LIKE_A_HOME = /^~(?:[\\/]|$)/;

/** A scheme of two letters or more, so that `C:\\` is none. */
const LOOKS_LIKE_A_URL = /^(file:|[a-z][a-z0-9+.-]+:\/\/)/i;

function pathOfUrl(argument: string, url: URL): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw invalid(argument, 'a `file:` URL of this machine', url.href, path, cause);
  }
}

/**
 * The options that were given, whose keys are all known. A misspelled one would do nothing,
 * and the caller would not learn of it.
 */
export function known<T extends object>(
  argument: string,
  value: T,
  keys: readonly (keyof T & string)[],
): T {
  for (const key of Object.keys(value)) {
    if ((keys as readonly string[]).includes(key)) continue;
    if ((value as Record<string, unknown>)[key] === undefined) continue;
    const expected = `one of the known keys: ${keys.join(', ')}`;
    throw invalid(`${argument}.${key}`, expected, key, known);
  }
  return value;
}

/** A record, of whatever content. */
export function object<T extends object>(argument: string, value: T): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw invalid(argument, 'an object', value, object);
}

/** An object that another one has to come with, such as the store among some dependencies. */
export function part<T extends object, K extends keyof T & string>(
  argument: string,
  owner: T,
  key: K,
): T[K] & object {
  const value: unknown = object(argument, owner)[key];
  if (value !== null && (typeof value === 'object' || typeof value === 'function')) {
    return value as T[K] & object;
  }
  throw invalid(`${argument}.${key}`, 'an object', value, part);
}

/** The JSON text of a record. */
export function json(argument: string, value: object): string {
  object(argument, value);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw invalid(argument, 'an object that JSON can express', value, json, cause);
  }
  if (text !== undefined && isDeeperThan(text, MAX_JSON_DEPTH)) {
    throw invalid(argument, `an object at most ${MAX_JSON_DEPTH} levels deep`, value, json);
  }
  // A `toJSON` may have answered anything at all.
  if (text?.charCodeAt(0) === OPENING_BRACE) return text;
  throw invalid(argument, 'an object whose JSON is an object', value, json);
}

/** The JSON text of a list of records. */
export function jsonList(argument: string, values: readonly object[]): string {
  if (!Array.isArray(values)) throw invalid(argument, 'an array', values, jsonList);
  // A hole is no record either, which `map` would pass over.
  return `[${Array.from(values, (value, index) => json(`${argument}.${index}`, value)).join()}]`;
}

/** Options that may be left out as a whole; all that are given must be known. */
export function options<T extends object>(
  argument: string,
  value: T | undefined,
  keys: readonly (keyof T & string)[],
): Partial<T> {
  return value === undefined ? {} : known(argument, object(argument, value), keys);
}

/** A choice between two things. */
export function boolean(argument: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(argument, 'a boolean', value, boolean);
}

/** A number of records, where one is given. JSON would make `null` of what is no number. */
export function amount(argument: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalid(argument, 'a non-negative integer', value, amount);
}

/** The idempotency key among the options of an append; `null` when there is none. */
export function idempotencyKey(
  given: { readonly idempotencyKey?: string } | undefined,
): string | null {
  const { idempotencyKey: key } = options('options', given, ['idempotencyKey']);
  if (key === undefined) return null;
  if (isName(key)) return key;
  throw invalid('options.idempotencyKey', 'a non-empty, well-formed string', key, idempotencyKey);
}

interface Range {
  readonly limit?: number;
  readonly before?: string;
  readonly after?: string;
}

/** The JSON text of a selection of messages. */
export function messageRange(range: Range | undefined): string {
  const { limit, before, after } = options<Range>('options', range, ['limit', 'before', 'after']);
  return json('options', { limit: amount('options.limit', limit), before, after });
}

const OPENING_BRACE = 0x7b;

/** Whether the value is a non-empty string without lone surrogates. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed();
}

/** The error for an argument; its stack starts at the caller of `check`. */
export function invalid(
  argument: string,
  expected: string,
  value: unknown,
  check: ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown),
  cause?: unknown,
): InvalidArgumentError {
  const received = cause === undefined ? describe(value) : `${describe(value)} (${reason(cause)})`;
  const error = new InvalidArgumentError(
    { argument, expected, received },
    cause === undefined ? undefined : { cause },
  );
  Error.captureStackTrace(error, check);
  return error;
}

const SHOWN_OF_A_STRING = 64;

/** A short text that says what a value is, without calling into it. */
function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      if (value === '') return 'empty string';
      return `string ${JSON.stringify(value.slice(0, SHOWN_OF_A_STRING))}`;
    case 'number':
    case 'boolean':
    case 'bigint':
      return `${typeof value} ${value}`;
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'array' : 'object';
    default:
      return typeof value;
  }
}

/** The first line of what was thrown, for a message of one line. */
function reason(cause: unknown): string {
  const message = (cause as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? (message.split('\n', 1)[0] as string) : describe(cause);
}
