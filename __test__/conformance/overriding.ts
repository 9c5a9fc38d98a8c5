import type { Session, SessionStore } from 'namzu-native';
import { describe, expect, it, vi } from 'vitest';
import { ALPHA, present, World } from '../support/world.js';

type StoreClass<A extends [] | unknown[]> = new (...args: A) => SessionStore;

const METHODS = [
  'createProject',
  'getProject',
  'createSession',
  'getSession',
  'updateSession',
  'deleteSession',
  'createSubSession',
  'getSubSession',
  'updateSubSession',
  'deleteSubSession',
  'appendMessage',
  'loadMessages',
  'loadSessionMessages',
  'getChildren',
  'getAncestry',
  'drill',
  'recordSummary',
  'getSummary',
] as const satisfies readonly (keyof SessionStore)[];

function inheritedProperty(object: object, key: string): PropertyDescriptor | undefined {
  const own = Object.getOwnPropertyDescriptor(object, key);
  const parent: object | null = Object.getPrototypeOf(object);
  return own ?? (parent === null ? undefined : inheritedProperty(parent, key));
}

/** Holds a store class to the promise that its methods are ordinary, overridable ones. */
export function describeOverridableStore<A extends [] | unknown[]>(
  Store: StoreClass<A>,
  args: () => A,
): void {
  describe(`${Store.name} is an ordinary class`, () => {
    const open = () => new Store(...args());

    it.each(METHODS)(
      'inherits %s from its prototype, writable and configurable',
      async (method) => {
        const store = open();
        expect(Object.hasOwn(store, method)).toBe(false);
        const property = inheritedProperty(Store.prototype, method);
        expect(property).toMatchObject({ writable: true, configurable: true, enumerable: false });
        expect(property?.value).toBeTypeOf('function');
      },
    );

    it('can be subclassed, and super still works', async () => {
      class Auditing extends Store {
        readonly audit: string[] = [];

        override async getSession(...call: Parameters<SessionStore['getSession']>) {
          this.audit.push(`getSession ${call[0]}`);
          return super.getSession(...call);
        }
      }
      const store = new Auditing(...args());
      const world = await World.in(store);
      const session = await world.session();
      expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
      expect(store.audit).toStrictEqual([`getSession ${session.id}`]);
      expect(store).toBeInstanceOf(Store);
    });

    it('lets a subclass add fields, accessors and methods of its own', async () => {
      class Tagged extends Store {
        #tag = 'none';
        get tag() {
          return this.#tag;
        }
        async tagged(tag: string): Promise<Session> {
          this.#tag = tag;
          return (await World.in(this)).session();
        }
      }
      const store = new Tagged(...args());
      expect(await store.tagged('mine')).toMatchObject({ status: 'idle' });
      expect(store.tag).toBe('mine');
    });

    it('can be spied on, on the object', async () => {
      const store = open();
      const spy = vi.spyOn(store, 'getSession');
      const world = await World.in(store);
      const session = await world.session();
      expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
      expect(spy.mock.calls).toStrictEqual([[session.id, ALPHA]]);

      spy.mockResolvedValueOnce(null);
      expect(await store.getSession(session.id, ALPHA)).toBeNull();
      spy.mockRestore();
      expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
    });

    it('can be spied on, on the prototype', async () => {
      const spy = vi.spyOn(Store.prototype, 'getProject');
      try {
        const world = await World.in(open());
        await world.store.getProject(world.project.id, ALPHA);
        expect(spy).toHaveBeenCalledExactlyOnceWith(world.project.id, ALPHA);
      } finally {
        spy.mockRestore();
      }
    });

    it('can be given an own property over a method', async () => {
      const store = open();
      const world = await World.in(store);
      const session = await world.session();
      store.getSession = async () => null;
      expect(await store.getSession(session.id, ALPHA)).toBeNull();
      Reflect.deleteProperty(store, 'getSession');
      expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
    });

    it('works through a Proxy', async () => {
      const calls: (string | symbol)[] = [];
      const store = new Proxy(open(), {
        get(target, key, receiver) {
          calls.push(key);
          return Reflect.get(target, key, receiver) as unknown;
        },
      });
      const world = await World.in(store);
      const [parent, child] = [await world.session(), await world.session()];
      const edge = await world.edge(parent, child);
      await world.store.appendMessage(child.id, { role: 'user', content: 'x' }, ALPHA);
      expect(present(await store.drill(parent.id, ALPHA)).children).toStrictEqual([edge]);
      expect(await store.loadMessages(child.id, ALPHA)).toHaveLength(1);
      expect(calls).toEqual(expect.arrayContaining(['createProject', 'drill', 'loadMessages']));
    });

    it('works through an empty Proxy and through an object that inherits from it', async () => {
      const store = open();
      for (const outer of [new Proxy(store, {}), Object.create(store) as SessionStore]) {
        const world = await World.in(outer);
        const session = await world.session();
        expect(await store.getSession(session.id, ALPHA)).toStrictEqual(session);
        expect(await outer.getSession(session.id, ALPHA)).toStrictEqual(session);
      }
    });
  });
}
