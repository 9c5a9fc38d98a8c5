/** A store that is written to while the system refuses things, and what must hold meanwhile. */

import { DiskSessionStore, verify } from 'namzu-native';

export const TENANT = 'tnt_ada';
const OUTCOMES = ['not_done', 'done', 'unknown'];

/**
 * Writes into a root whatever the system lets it, remembers what was answered, and checks that
 * nothing else is ever read.
 */
export class Story {
  problems = [];
  /** How many calls were refused, by code and outcome. */
  refusals = new Map();
  #said = [];
  #maybe = [];
  #sessions = [];
  #removed = [];

  constructor(rootDir, codes) {
    this.rootDir = rootDir;
    this.codes = codes;
    this.open();
  }

  open() {
    this.store = new DiskSessionStore({ rootDir: this.rootDir });
  }

  get answered() {
    return this.#said.length;
  }

  get refused() {
    return [...this.refusals.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Makes a call; answers what it answers, or `undefined` when the system refused it. */
  async attempt(name, call, taken = () => undefined) {
    try {
      const value = await call();
      taken(value);
      return { value };
    } catch (error) {
      const { code, outcome, path, op } = error.details ?? {};
      if (error.name !== 'StoreIoError' || !OUTCOMES.includes(outcome)) {
        if (!/not found/.test(error.message)) this.problems.push(`${name}: ${error.stack}`);
        return undefined;
      }
      if (!this.codes.includes(code)) this.problems.push(`${name}: ${op} ${path} ${code}`);
      const key = `${code} ${outcome}`;
      this.refusals.set(key, (this.refusals.get(key) ?? 0) + 1);
      if (outcome === 'done') taken(undefined);
      return { error };
    }
  }

  async session() {
    this.project ??= (
      await this.attempt('createProject', () =>
        this.store.createProject({ tenantId: TENANT, name: 'P' }, TENANT),
      )
    )?.value;
    if (this.project === undefined) return undefined;
    const made = await this.attempt('createSession', () =>
      this.store.createSession({ projectId: this.project.id, currentActor: null }, TENANT),
    );
    if (made?.value) this.#sessions.push(made.value.id);
    return made?.value?.id;
  }

  /** Says something in a session; whether it was taken. */
  async say(id, bytes = 1_000) {
    const content = `${id} ${this.#said.length} `.padEnd(bytes, 'x');
    let taken = false;
    const said = await this.attempt(
      'appendMessage',
      () => this.store.appendMessage(id, { role: 'user', content }, TENANT),
      () => {
        taken = true;
        this.#said.push({ id, content });
      },
    );
    if (said?.error?.details.outcome === 'unknown') this.#maybe.push({ id, content });
    return taken && said?.value !== undefined;
  }

  /** Writes until the system refuses; answers how many calls it took. */
  async fill(limit = 3_000) {
    for (let n = 0; n < limit; n += 1) {
      const id = n % 8 === 0 ? await this.session() : this.#sessions.at(-1);
      if (id === undefined || !(await this.say(id, 200 + ((n * 997) % 4_000)))) return n;
    }
    return limit;
  }

  /** Says something in each session. */
  async sayEverywhere() {
    for (const id of this.#sessions) await this.say(id, 200);
  }

  /** Deletes a session; whether that went well. */
  async remove() {
    const id = this.#sessions[0];
    if (id === undefined) return undefined;
    const removed = await this.attempt(
      'deleteSession',
      () => this.store.deleteSession(id, TENANT),
      () => {
        this.#removed.push(id);
        this.#sessions.shift();
        this.#said = this.#said.filter((said) => said.id !== id);
        this.#maybe = this.#maybe.filter((said) => said.id !== id);
      },
    );
    return removed?.error === undefined;
  }

  /** Everything that was answered is read, and nothing else; where it may be, it is refused. */
  async read(when, mayBeRefused = false) {
    for (const id of this.#sessions) {
      const messages = await this.attempt(`loadMessages ${when}`, () =>
        this.store.loadMessages(id, TENANT),
      );
      if (mayBeRefused && messages?.error !== undefined) continue;
      if (messages?.value === undefined) {
        this.problems.push(`${when}: ${id} cannot be read: ${messages?.error?.message}`);
        continue;
      }
      const found = messages.value.map(({ content }) => content);
      const certain = this.#said.filter((said) => said.id === id).map(({ content }) => content);
      const possible = new Set(this.#maybe.map(({ content }) => content));
      const kept = found.filter((content) => !possible.has(content) || certain.includes(content));
      if (JSON.stringify(kept) !== JSON.stringify(certain)) {
        this.problems.push(`${when}: ${id} has ${found.length} of ${certain.length} messages`);
      }
    }
    for (const id of this.#removed) {
      const gone = await this.attempt(`getSession ${when}`, () =>
        this.store.getSession(id, TENANT),
      );
      if (mayBeRefused && gone?.error !== undefined) continue;
      if (gone?.value !== null) this.problems.push(`${when}: ${id} was deleted and is there`);
    }
  }

  /** With the cause removed, everything works and the root is clean. */
  async recover(when) {
    const before = this.problems.length;
    const codes = this.codes;
    this.codes = [];
    await this.read(`${when}, at once`);
    const id = await this.session();
    if (id === undefined || !(await this.say(id))) this.problems.push(`${when}: still refused`);
    await this.read(when);
    await this.attempt('close', () => this.store.close());
    for (const { kind, path, detail } of await verify(this.rootDir)) {
      this.problems.push(`${when}: verify: ${kind} ${path} ${detail}`);
    }
    this.open();
    await this.read(`${when}, reopened`);
    await this.attempt('close', () => this.store.close());
    this.codes = codes;
    return this.problems.length === before;
  }
}
