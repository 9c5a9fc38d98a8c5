import { type ChildProcess, fork } from 'node:child_process';
import type { Durability, ExtendedSessionStore } from 'namzu-native';
import { onTestFinished } from 'vitest';
import { script } from './script.js';

/** The process of a store ended before it answered: the call may have taken effect or not. */
export class StoreGoneError extends Error {}

type Answer = { readonly call: number } & (
  | { readonly value: unknown }
  | { readonly error: { name: string; message: string; details?: unknown } }
);

interface Caller {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** A disk store in a process of its own, called like one of this process. */
export class RemoteStore {
  /** Starts one and waits until it takes calls; it is ended with the running test. */
  static async start(rootDir: string, durability: Durability = 'full'): Promise<RemoteStore> {
    const child = fork(script('store.mjs'), [rootDir, durability], { serialization: 'advanced' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the store's process ended with ${code}`)));
    });
    return new RemoteStore(child);
  }

  readonly store: ExtendedSessionStore;
  /** Resolves when the process is gone and everything that it said was heard. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcess;
  readonly #callers = new Map<number, Caller>();
  #calls = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    const ended = new Promise<unknown>((resolve) => child.once('exit', resolve));
    const heard = new Promise<unknown>((resolve) => child.once('disconnect', resolve));
    this.gone = Promise.all([ended, heard]).then(() => {
      for (const { reject } of this.#callers.values()) reject(new StoreGoneError());
      this.#callers.clear();
    });
    child.on('message', (message) => this.#answer(message as Answer));
    this.store = new Proxy({} as ExtendedSessionStore, {
      get: (_, method) => {
        if (method === 'then') return undefined;
        return (...args: unknown[]) => this.#call(String(method), args);
      },
    });
  }

  /** Sends a signal to the process, which may act on it in the middle of anything. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  /** Kills the process and waits until everything that it said was heard. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.gone;
  }

  #call(method: string, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(new StoreGoneError());
      this.#calls += 1;
      const call = this.#calls;
      this.#callers.set(call, { resolve, reject });
      this.#child.send({ call, method, args }, (error) => {
        // What could not be sent was not done, but saying so is for the caller's sake alone.
        if (error && this.#callers.delete(call)) reject(new StoreGoneError());
      });
    });
  }

  #answer(answer: Answer): void {
    const caller = this.#callers.get(answer.call);
    this.#callers.delete(answer.call);
    if ('value' in answer) {
      caller?.resolve(answer.value);
    } else {
      const { name, message, details } = answer.error;
      caller?.reject(Object.assign(new Error(message), { name, details }));
    }
  }
}
