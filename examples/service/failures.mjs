/** Which error of the store is which status of HTTP. */

import {
  IdempotencyConflictError,
  InvalidArgumentError,
  InvalidIdError,
  StoreClosedError,
  TenantIsolationError,
} from 'namzu-native';

/** A failure that is the request's own. */
export class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** What to answer to a request that failed. */
export function failureOf(error) {
  if (error instanceof HttpError) return { status: error.status, message: error.message };
  // Whether the other tenant has such a record is not this tenant's business.
  if (error instanceof TenantIsolationError) return { status: 404, message: 'not found' };
  if (error instanceof InvalidIdError) return { status: 404, message: 'not found' };
  if (error instanceof InvalidArgumentError) return { status: 400, message: error.message };
  if (error instanceof IdempotencyConflictError) return { status: 409, message: error.message };
  if (error instanceof StoreClosedError) return { status: 503, message: 'shutting down' };
  console.error(error);
  return { status: 500, message: 'internal error' };
}
