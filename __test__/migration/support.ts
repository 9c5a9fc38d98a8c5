import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { childScript } from '../support/child.js';
import { tempRoot } from '../support/temp-root.js';
import { namesBelow } from '../support/tree.js';

/** A root of the earlier layout: what each of some threads holds, by path below `threads/`. */
export function legacyRoot(files: Record<string, string> = THREADS): string {
  const root = tempRoot();
  for (const [name, text] of Object.entries(files)) write(root, `threads/${name}`, text);
  return root;
}

/** Two threads with runs, and one without. */
export const THREADS: Record<string, string> = {
  'thd_one/runs/run_a/run.json': '{"id":"run_a"}',
  'thd_one/runs/run_a/transcript.jsonl': '{"line":1}\n'.repeat(2000),
  'thd_one/runs/run_b/children/run_c/messages.json': '[]',
  'thd_two/runs/run_d/report.md': '# ☂',
  'thd_empty/.keep': '',
};

export const SESSION = 'sessions/ses_legacy_default';

/** Where each file of {@link THREADS} is after the migration. */
export const MIGRATED: Record<string, string> = {
  'projects/prj_legacy_one/sessions/ses_legacy_default/runs/run_a/run.json':
    'thd_one/runs/run_a/run.json',
  'projects/prj_legacy_one/sessions/ses_legacy_default/runs/run_a/transcript.jsonl':
    'thd_one/runs/run_a/transcript.jsonl',
  'projects/prj_legacy_one/sessions/ses_legacy_default/runs/run_b/children/run_c/messages.json':
    'thd_one/runs/run_b/children/run_c/messages.json',
  'projects/prj_legacy_two/sessions/ses_legacy_default/runs/run_d/report.md':
    'thd_two/runs/run_d/report.md',
  'threads/thd_empty/.keep': 'thd_empty/.keep',
};

export function write(root: string, name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

/** Every name of a root, without those of the engine. */
export async function recordNames(root: string): Promise<string[]> {
  return (await namesBelow(root)).filter((name) => !name.startsWith('.store/'));
}

/** A process that migrates a root: its answer, or the signal that it was ended by. */
export async function migrateInProcess(
  root: string,
  options: { killAfter?: number; uid?: number; gid?: number } = {},
): Promise<{ kind?: string; op?: string; path?: string; threads?: number; signal?: string }> {
  const { killAfter, ...user } = options;
  const child = spawn(process.execPath, [childScript('migrate.mjs'), root], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (killAfter !== undefined && printed.includes('start')) {
      setTimeout(() => child.kill('SIGKILL'), killAfter);
    }
  });
  const [, signal] = await once(child, 'close');
  if (signal !== null) return { signal };
  return JSON.parse(printed.split('\n')[1] as string);
}
