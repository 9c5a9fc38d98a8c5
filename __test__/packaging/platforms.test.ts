import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const manifest = (path: string) =>
  JSON.parse(readFileSync(`${repository}${path}package.json`, 'utf8'));
const { PLATFORMS } = await import(new URL('../../scripts/platforms.mjs', import.meta.url).href);

const NAMES: string[] = Object.keys(PLATFORMS);

describe('the packages of the platforms', () => {
  it('have a template each', () => {
    expect(readdirSync(`${repository}npm`).sort()).toStrictEqual([...NAMES].sort());
  });

  it.each(NAMES)('%s says what it is for, in the version of the main package', (name) => {
    const [os, cpu, abi] = name.split('-');
    const { version, license, engines } = manifest('');
    expect(manifest(`npm/${name}/`)).toMatchObject({
      name: `namzu-native-${name}`,
      version,
      license,
      engines,
      main: `namzu-native.${name}.node`,
      os: [os],
      cpu: [cpu],
      ...(os === 'linux' && { libc: [abi === 'gnu' ? 'glibc' : 'musl'] }),
    });
  });

  it('are not in the manifest of the repository, so that npm ci needs none of them', () => {
    expect(manifest('')).not.toHaveProperty('optionalDependencies');
    expect(manifest('')).not.toHaveProperty('dependencies');
  });
});
