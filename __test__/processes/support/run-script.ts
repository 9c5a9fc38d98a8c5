import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { script } from './script.js';

/** Runs a script of `children` to its end and answers the JSON it printed. */
export async function runScript<T>(
  name: string,
  args: readonly (string | number)[],
  flags: readonly string[] = [],
): Promise<T> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, script(name), ...args.map(String)],
    { killSignal: 'SIGKILL', maxBuffer: 64 << 20, timeout: 100_000 },
  );
  return JSON.parse(stdout) as T;
}

/** Runs a script many times at once, with the number of each as its last argument. */
export function runScripts<T>(
  count: number,
  name: string,
  args: readonly (string | number)[],
): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => runScript<T>(name, [...args, i])));
}
