export * from '../../conformance/support/rejection.mjs';
