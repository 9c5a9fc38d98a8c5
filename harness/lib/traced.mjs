/** A process that makes calls on roots, some of them under strace, which lets system calls fail. */

import { spawn } from 'node:child_process';
import { opendirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('../children/one-operation.mjs', import.meta.url));
const LIMIT = 60_000;

export class TracedProcess {
  #program;
  #lines;
  #troubles = '';
  #limit;

  constructor(ids) {
    this.#program = spawn(process.execPath, [CHILD, JSON.stringify(ids)], {
      // One worker, so that it is known which thread makes which call.
      env: { ...process.env, TOKIO_WORKER_THREADS: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#program.stdin.on('error', () => undefined); // it ended: its answer is missing
    this.#program.stderr.on('data', (data) => {
      this.#troubles += data;
    });
    this.#lines = createInterface({ input: this.#program.stdout })[Symbol.asyncIterator]();
  }

  async ask(order) {
    this.#limit = setTimeout(() => this.end(), LIMIT);
    this.#program.stdin.write(`${JSON.stringify(order)}\n`);
    const { value } = await this.#lines.next();
    clearTimeout(this.#limit);
    if (value === undefined)
      throw new Error(`the process ended. ${this.#troubles.slice(0, 2_000)}`);
    return JSON.parse(value);
  }

  /**
   * The threads that calls may be carried out by, by what they do: the one that JavaScript runs
   * on, the worker, and those for what takes long. The runtime's other threads are not ours. Where
   * the worker has waited for a lock, it and another may have changed places since.
   */
  threads() {
    const { pid } = this.#program;
    const isOurs = (thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').startsWith('tokio');
    // Not sorted: they are told in the order in which they were made.
    const [worker, ...others] = entriesOf(`/proc/${pid}/task`).filter(isOurs);
    // One that comes up later would be one of those: what it did may be done by them another time.
    return { main: [String(pid)], worker: [worker], new: others, blocking: others };
  }

  /** How many descriptors it has open below a folder. */
  openBelow(folder) {
    const fds = `/proc/${this.#program.pid}/fd`;
    return readdirSync(fds).filter((fd) => {
      try {
        return readlinkSync(join(fds, fd)).startsWith(folder);
      } catch {
        return false;
      }
    }).length;
  }

  /** Looks at the calls of all its threads, until the answered function is called. */
  traceAll(folder) {
    const options = ['-f', '-ff', '-e', 'trace=%file,%desc', '-p', String(this.#program.pid)];
    return tracer(folder, options);
  }

  /** Lets a call of threads fail, until the answered function is called. */
  inject(folder, role, call, fault) {
    const threads = this.threads()[role].flatMap((thread) => ['-p', thread]);
    return tracer(folder, ['-e', `trace=${call}`, '-e', `inject=${call}:${fault}`, ...threads]);
  }

  /** Does something while the process stands still. */
  standingStill(work) {
    const { pid } = this.#program;
    const stands = (thread) =>
      /^State:\s+[Tt]/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'));
    this.#program.kill('SIGSTOP');
    for (let n = 0; n < 10_000 && !readdirSync(`/proc/${pid}/task`).every(stands); n += 1);
    work();
    this.#program.kill('SIGCONT');
  }

  end() {
    this.#program.kill('SIGKILL');
  }
}

function entriesOf(folder) {
  const names = [];
  const open = opendirSync(folder);
  for (let entry = open.readSync(); entry !== null; entry = open.readSync()) names.push(entry.name);
  open.closeSync();
  return names;
}

/** Starts strace; answers how to stop it, which answers the lines it wrote, by thread. */
async function tracer(folder, options) {
  const file = join(folder, 'trace');
  const strace = spawn('strace', ['-y', '-o', file, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = new Promise((resolve) => strace.once('close', resolve));
  let said = '';
  await new Promise((resolve, reject) => {
    strace.stderr.on('data', (data) => {
      said += data;
      if (said.includes('attached')) resolve();
    });
    gone.then(() => reject(new Error(`strace: ${said}`)));
  });
  return async () => {
    strace.kill('SIGINT');
    await gone;
    const names = readdirSync(folder).filter((name) => name.startsWith('trace'));
    const lines = (name) => readFileSync(join(folder, name), 'utf8').split('\n');
    const traces = new Map(names.map((name) => [name.slice('trace.'.length), lines(name)]));
    for (const name of names) rmSync(join(folder, name));
    return traces;
  };
}
