import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { cleanEnvironment } from '../support/environment.js';

/** An example that runs in a process of its own. */
export class Program {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly #exit: Promise<unknown[]>;
  #errors = '';

  /** Starts an example; `onLine` hears each line that it prints. */
  constructor(script: string, args: string[], onLine: (line: string) => void = () => {}) {
    const path = fileURLToPath(new URL(`../../examples/${script}`, import.meta.url));
    this.child = spawn(process.execPath, [path, ...args], {
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exit = once(this.child, 'close');
    onTestFinished(() => {
      this.child.kill('SIGKILL');
    });
    this.child.stderr?.on('data', (text) => {
      this.#errors += text;
    });
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.lines.push(line);
      onLine(line);
    });
  }

  /** Waits for the end; answers the exit code, or the signal. */
  async end(): Promise<unknown> {
    const [code, signal] = await this.#exit;
    return signal ?? code;
  }

  /** What it wrote to standard error. */
  get errors(): string {
    return this.#errors;
  }
}
