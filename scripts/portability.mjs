/**
 * Compiles, on any machine, the code that is for other systems than Linux: a copy of the
 * crate in which no `cfg` believes to be on Linux, and one where none believes to be on
 * Unix. It finds what is missing or unused there, not what these systems themselves lack.
 *
 *   node scripts/portability.mjs
 */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandFailed, main, ROOT, run } from './run.mjs';

const NOT_LINUX = [[/target_os = "linux"/g, 'target_os = "none"']];
const NOT_UNIX = [
  ...NOT_LINUX,
  [/\bnot\(unix\)/g, 'all()'],
  [/\((test, )?unix([,)])/g, '($1any()$2'],
];

export function portability() {
  for (const [title, changes] of [
    ['neither Linux', NOT_LINUX],
    ['nor Unix', NOT_UNIX],
  ]) {
    console.log(`\n── ${title}`);
    const copy = mkdtempSync(join(tmpdir(), 'namzu-native-portability-'));
    try {
      for (const name of ['Cargo.toml', 'Cargo.lock', 'build.rs', 'src', 'benches']) {
        cpSync(join(ROOT, name), join(copy, name), { recursive: true });
      }
      const sources = readdirSync(copy, { recursive: true }).filter((name) =>
        /\.(rs|toml)$/.test(name),
      );
      for (const name of sources) {
        let text = readFileSync(join(copy, name), 'utf8');
        for (const [from, to] of changes) text = text.replace(from, to);
        writeFileSync(join(copy, name), text);
      }
      const manifest = join(copy, 'Cargo.toml');
      const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
      run('cargo', ['check', '--lib', '--manifest-path', manifest, '--target-dir', target]);
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      throw new CommandFailed(`${title}: ${error.message}`);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(portability);
