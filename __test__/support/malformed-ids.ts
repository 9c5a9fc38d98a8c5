export * from '../../conformance/support/malformed-ids.mjs';
