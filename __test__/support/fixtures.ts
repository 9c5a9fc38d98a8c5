import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FIXTURES = new URL('../../../shared/fixtures/', import.meta.url);

/** Where a shared fixture is, next to this repository. */
export function fixturePath(name: string): string {
  return fileURLToPath(new URL(name, FIXTURES));
}

/** Fixtures are not part of the package: tests of one that is absent are skipped. */
export function fixtureIsAbsent(name: string): boolean {
  return !existsSync(fixturePath(name));
}
