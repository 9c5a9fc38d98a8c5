import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));

const PAGES = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...readdirSync(join(repository, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...['agent-loop', 'service'].map((name) => `examples/${name}/README.md`),
];

const read = (page: string) => readFileSync(join(repository, page), 'utf8');

/** What a page links to, beside the web. */
function linksOf(page: string): string[] {
  const prose = read(page).replace(/```[\s\S]*?```/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page, as its headings make them. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

describe('the documents', () => {
  it.each(PAGES)('%s links to what is there', (page) => {
    const broken = linksOf(page).filter((target) => {
      const [path, anchor] = target.split('#') as [string, string?];
      const linked = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(repository, linked))) return true;
      return anchor !== undefined && !anchorsOf(linked).includes(anchor);
    });
    expect(broken).toStrictEqual([]);
  });
});
