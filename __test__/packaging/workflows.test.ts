import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));
const read = (name: string) => readFileSync(`${folder}${name}`, 'utf8');
const WORKFLOWS = readdirSync(folder);
const { PLATFORMS } = (await import(
  new URL('../../scripts/platforms.mjs', import.meta.url).href
)) as { PLATFORMS: Record<string, string> };

describe.each(WORKFLOWS)('the workflow %s', (name) => {
  const text = read(name);

  it('uses nothing but what is pinned to a commit, its tag behind it', () => {
    const used = [...text.matchAll(/uses: (.+)$/gm)].map(([, what]) => what as string);
    expect(used.length).toBeGreaterThan(0);
    for (const what of used) {
      expect(what).toMatch(
        /^(\.\/\.github\/workflows\/\w+\.yml|[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/,
      );
    }
  });

  it('may read the repository and no more, but for the statement of provenance', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
    const more = [...text.matchAll(/^ +([\w-]+): write\b/gm)].map(([, what]) => what);
    expect(more).toStrictEqual(name === 'publish.yml' ? ['id-token'] : []);
  });

  it('leaves no credentials in the checkout', () => {
    const checkouts = text.match(/actions\/checkout@/g) ?? [];
    expect(text.match(/persist-credentials: false/g) ?? []).toHaveLength(checkouts.length);
  });
});

describe('the workflows', () => {
  it('use one release of each action, and actions of one generation', () => {
    const pins = WORKFLOWS.flatMap((name) =>
      [...read(name).matchAll(/uses: (actions\/[\w-]+)@([0-9a-f]{40}) # v(\d+)/g)].map(
        ([, action, commit, major]) => ({ action, commit, major: Number(major) }),
      ),
    );
    const actions = new Set(pins.map(({ action }) => action));
    expect(new Set(pins.map(({ action, commit }) => `${action}@${commit}`)).size).toBe(
      actions.size,
    );
    // Artifacts of the former generations (v4) are another format, on another Node.js.
    expect(pins.filter(({ major }) => major < 7)).toStrictEqual([]);
  });

  it('build for every platform that the package lists, and for no other', () => {
    const [, ...entries] = read('build.yml').split('- platform: ');
    const built = entries.map((entry) => [
      entry.slice(0, entry.indexOf('\n')),
      /triple: (\S+)/.exec(entry)?.[1],
    ]);
    expect(Object.fromEntries(built)).toStrictEqual(PLATFORMS);
  });

  it('publish every package with a statement of where it comes from', () => {
    const commands = read('publish.yml').match(/npm publish .+/g) ?? [];
    expect(commands).toHaveLength(2);
    for (const command of commands) expect(command).toContain('--provenance --access public');
  });
});
