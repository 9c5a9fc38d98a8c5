export * from '../../conformance/support/unions.mjs';
