import { resolve } from 'node:path';
import { start } from 'node:repl';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import { DiskSessionStore, InMemorySessionStore, InvalidArgumentError } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, World } from '../support/world.js';

const WIDE = { breakLength: Number.POSITIVE_INFINITY };

describe('util.inspect', () => {
  it('shows the class, the root, the durability and the state of a disk store', async () => {
    const rootDir = tempRoot();
    const store = new DiskSessionStore({ rootDir });
    expect(inspect(store, WIDE)).toBe(
      `DiskSessionStore { rootDir: '${rootDir}', durability: 'full', state: 'open' }`,
    );
    await World.in(store);
    await store.close();
    expect(inspect(store, WIDE)).toBe(
      `DiskSessionStore { rootDir: '${rootDir}', durability: 'full', state: 'closed' }`,
    );
  });

  it('shows where a relative root is', () => {
    const store = new DiskSessionStore({ rootDir: './data', durability: 'relaxed' });
    expect(inspect(store, WIDE)).toBe(
      `DiskSessionStore { rootDir: '${resolve('data')}', durability: 'relaxed', state: 'open' }`,
    );
  });

  it('shows the class and the state of a store in memory', () => {
    expect(inspect(new InMemorySessionStore())).toBe("InMemorySessionStore { state: 'open' }");
  });

  it('shows a subclass by its name, with the fields that it added', () => {
    class Audited extends InMemorySessionStore {
      readonly audit = ['created'];
    }
    expect(inspect(new Audited())).toBe("Audited { state: 'open', audit: [ 'created' ] }");
  });

  it('is short for a store deep inside something else', () => {
    const app = { a: { b: { c: { store: new InMemorySessionStore() } } } };
    expect(inspect(app, { depth: 3 })).toContain('store: [InMemorySessionStore]');
  });

  it('sees through a Proxy', () => {
    expect(inspect(new Proxy(new InMemorySessionStore(), {}))).toBe(
      "InMemorySessionStore { state: 'open' }",
    );
  });

  it('never shows a store as open that cannot be opened: there is none', () => {
    expect(() => new DiskSessionStore({ rootDir: '' })).toThrow(InvalidArgumentError);
  });

  it('prints entities as plain objects', async () => {
    const world = await World.in(new InMemorySessionStore());
    const session = await world.session();
    const view = await world.store.drill(session.id, ALPHA);
    expect(inspect(view, { depth: 0 })).toBe(
      '{ session: [Object], children: [], ancestry: [Array] }',
    );
  });
});

describe('a REPL', () => {
  it('completes the methods of a store', async () => {
    const repl = start({ input: new PassThrough(), output: new PassThrough(), useGlobal: false });
    Object.assign(repl.context, { store: new InMemorySessionStore() });
    const [completions] = await new Promise<[string[], string]>((done, fail) => {
      repl.completer('store.', (error, answer) => (error ? fail(error) : done(answer as never)));
    });
    repl.close();
    expect(completions).toEqual(
      expect.arrayContaining(['store.appendMessage', 'store.drill', 'store.close']),
    );
  });
});
