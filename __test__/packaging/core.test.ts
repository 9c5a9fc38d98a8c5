import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment } from '../support/environment.js';
import { rejection } from '../support/rejection.js';
import { tempDir } from '../support/temp-root.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const { thisPlatform } = await import(new URL('../../scripts/platforms.mjs', import.meta.url).href);

/** A project with the package installed, and with cores that are what a test makes them. */
class Project {
  readonly dir = tempDir();

  constructor(cores: Record<string, string>) {
    this.#write('namzu-native', '');
    cpSync(join(repository, 'dist'), this.#path('namzu-native', 'dist'), { recursive: true });
    cpSync(join(repository, 'package.json'), this.#path('namzu-native', 'package.json'));
    for (const [platform, text] of Object.entries(cores)) {
      this.#write(`namzu-native-${platform}`, text);
    }
  }

  #path(...path: string[]): string {
    return join(this.dir, 'node_modules', ...path);
  }

  #write(name: string, text: string): void {
    mkdirSync(this.#path(name), { recursive: true });
    writeFileSync(this.#path(name, 'package.json'), JSON.stringify({ name, main: 'core.js' }));
    writeFileSync(this.#path(name, 'core.js'), text);
  }

  /** Loads the package and answers what its core printed. `before` runs first. */
  async load(before = ''): Promise<string> {
    const program = join(this.dir, 'program.js');
    writeFileSync(program, `${before}\nrequire('namzu-native');\n`);
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      env: cleanEnvironment(),
    });
    return stdout.trim();
  }
}

function core(says: string, ofVersion: string = version): string {
  return `console.log('${says}');
exports.coreVersion = () => '${ofVersion}';`;
}

describe('the compiled core', () => {
  const platform: string = thisPlatform();

  it('is taken from the package of the platform', async () => {
    expect(await new Project({ [platform]: core('the core') }).load()).toBe('the core');
  });

  it('is refused when it is of another version than the package', async () => {
    const project = new Project({ [platform]: core('old', '0.1.9') });
    const { message } = await rejection(project.load());
    expect(message).toContain(`namzu-native-${platform}`);
    expect(message).toContain('is version 0.1.9, but');
    expect(message).toContain(`namzu-native itself is ${version}`);
    expect(message).toContain(`install namzu-native-${platform}@${version}`);
  });

  it('is refused when it is from before cores told their version', async () => {
    const { message } = await rejection(new Project({ [platform]: '' }).load());
    expect(message).toContain('is version unknown, but');
  });

  it('is told of, with the reason, when it does not load', async () => {
    const project = new Project({ [platform]: "throw new Error('invalid ELF header')" });
    const { message } = await rejection(project.load());
    expect(message).toContain('could not be loaded: install');
    expect(message).toContain('invalid ELF header');
  });
});

describe.runIf(process.platform === 'linux')('where the cores of both C libraries are', () => {
  const [gnu, musl] = ['gnu', 'musl'].map((libc) => `linux-${process.arch}-${libc}`) as [
    string,
    string,
  ];
  const reporting = (header: object) =>
    `process.report.getReport = () => (${JSON.stringify({ header })});`;
  const both = () => new Project({ [gnu]: core('for glibc'), [musl]: core('for musl') });

  it('the report of the process decides', async () => {
    expect(await both().load(reporting({ glibcVersionRuntime: '2.36' }))).toBe('for glibc');
    expect(await both().load(reporting({}))).toBe('for musl');
  });

  it('the real report decides', async () => {
    expect(await both().load()).toBe(thisPlatform() === gnu ? 'for glibc' : 'for musl');
  });

  it('a runtime without a report gets one of them', async () => {
    const none = "Object.defineProperty(process, 'report', { value: undefined });";
    expect(await both().load(none)).toBe('for glibc');
  });

  it('one that is missing is named for the C library that the process runs on', async () => {
    const nothing = new Project({});
    const { message } = await rejection(nothing.load(reporting({})));
    expect(message).toContain(`is missing: install the optional package namzu-native-${musl} (`);
  });
});
