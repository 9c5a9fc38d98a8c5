export * from '../../conformance/support/world.mjs';
