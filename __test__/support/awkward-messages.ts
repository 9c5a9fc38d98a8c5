export * from '../../conformance/support/awkward-messages.mjs';
