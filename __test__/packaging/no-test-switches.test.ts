import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const NATIVE = new URL('../../native/', import.meta.url);

it('the addon has none of the switches that tests turn', () => {
  const addons = readdirSync(NATIVE).filter((name) => name.endsWith('.node'));
  expect(addons.length).toBeGreaterThan(0);
  for (const name of addons) {
    const addon = readFileSync(fileURLToPath(new URL(name, NATIVE)));
    expect(addon.includes('.store/frames'), 'the engine is in there').toBe(true);
    expect(addon.includes('NAMZU_MUTANT')).toBe(false);
    expect(addon.includes('JournalNotSynced')).toBe(false);
  }
});
