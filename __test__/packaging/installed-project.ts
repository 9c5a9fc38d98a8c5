import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../support/environment.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const FILES = fileURLToPath(new URL('./project/', import.meta.url));

/** The path of a file of a package that the repository itself uses. */
export function ofRepository(...path: string[]): string {
  return join(REPOSITORY, 'node_modules', ...path);
}

/** An empty project into which the tarballs were installed, with no more on its path than Node.js. */
export class InstalledProject {
  /** Packs the repository and installs the tarballs of which the name passes `wanted`. */
  static async in(folder: string, wanted: (tarball: string) => boolean = () => true) {
    const project = new InstalledProject(join(folder, 'project'), join(folder, 'bin'));
    const tarballs = join(folder, 'tarballs');
    if (!existsSync(tarballs)) await pack(tarballs);
    await cp(FILES, project.dir, { recursive: true });
    writeFileSync(join(project.dir, 'package.json'), '{ "private": true, "type": "module" }');
    mkdirSync(project.bin);
    symlinkSync(process.execPath, join(project.bin, 'node'));
    const chosen = readdirSync(tarballs)
      .filter(wanted)
      .map((name) => join(tarballs, name));
    await project.npm('install', '--offline', '--no-audit', '--no-fund', ...chosen);
    return project;
  }

  private constructor(
    readonly dir: string,
    readonly bin: string,
  ) {}

  /** Runs a script of the project, or a program by its path, and answers what it printed. */
  async node(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: this.dir,
      env: { ...cleanEnvironment(), PATH: this.bin },
      maxBuffer: 2 ** 26,
    });
    return stdout;
  }

  npm(...args: string[]): Promise<string> {
    return this.node(npmScript(), ...args);
  }

  /** Makes a package of the repository one of the project's. */
  link(name: string): void {
    const link = join(this.dir, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(ofRepository(name), link, 'junction');
  }
}

async function pack(tarballs: string): Promise<void> {
  // What a workflow knows of its repository would be named in place of the manifest's own.
  const { GITHUB_REPOSITORY: _, ...environment } = cleanEnvironment();
  await promisify(execFile)(process.execPath, [join(REPOSITORY, 'scripts', 'pack.mjs'), tarballs], {
    env: { ...environment, npm_execpath: npmScript() },
    maxBuffer: 2 ** 26,
  });
}

/** The npm that runs the tests, or the one on the path. */
function npmScript(): string {
  const running = process.env.npm_execpath;
  if (running?.endsWith('npm-cli.js')) return running;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const npm = join(folder, 'npm');
    if (!existsSync(npm)) continue;
    const script = realpathSync(npm);
    if (script.endsWith('.js')) return script;
  }
  throw new Error('npm was found nowhere: run the tests with "npm test"');
}
