// Methods that our stores have beyond the contract. A baseline that has one too is compared by it;
// for another there is what an application writes instead, where it can be written with the
// contract's methods; where it cannot, there is nothing to compare with.

import { consuming } from './consuming.mjs';
import { message, newSession, plant, TENANT } from './plant.mjs';

const BATCH = 40;
const COUNTED = 1000;
const PROJECTS = 40;
const PAGE = 100;

const messages = Array.from({ length: BATCH }, (_, i) => message(i));

/**
 * @typedef {object} ExtendedCase
 * @property {string} name
 * @property {string} method
 * @property {boolean} [changes] the store, which a durable one makes last
 * @property {boolean} [lasting] only what is on a disk has something to do for it
 * @property {number} [maxCalls] in a turn, of what leaves much behind
 * @property {(store: any, families: number, open: () => Promise<any>) =>
 *   Promise<import('../harness.mjs').Contender>} prepare
 * @property {ExtendedCase['prepare']} [instead] for a store that has no such method
 */

/** @type {readonly ExtendedCase[]} */
export const extendedMethods = [
  {
    name: `appendMessages (${BATCH})`,
    method: 'appendMessages',
    changes: true,
    prepare: onSessions((store, id) => store.appendMessages(id, messages, TENANT)),
    instead: onSessions(async (store, id) => {
      for (const one of messages) await store.appendMessage(id, one, TENANT);
    }),
  },
  {
    name: `countMessages (${COUNTED.toLocaleString('en')})`,
    method: 'countMessages',
    prepare: onTranscript((store, id) => store.countMessages(id, TENANT)),
    instead: onTranscript(async (store, id) => (await store.loadMessages(id, TENANT)).length),
  },
  {
    name: `listProjects (${PROJECTS})`,
    method: 'listProjects',
    prepare: async (store) => {
      for (let i = 0; i < PROJECTS; i += 1) await newProject(store, i);
      return { call: () => store.listProjects(TENANT, { limit: PROJECTS }) };
    },
  },
  {
    name: `listSessionsByProject (${PAGE})`,
    method: 'listSessionsByProject',
    prepare: async (store) => {
      const { id } = await newProject(store, 0);
      for (let i = 0; i < PAGE; i += 1) await newSession(store, id);
      return { call: () => store.listSessionsByProject(id, TENANT, { limit: PAGE }) };
    },
  },
  {
    name: `replaceMessages (${BATCH})`,
    method: 'replaceMessages',
    changes: true,
    maxCalls: 20,
    prepare: onSessions((store, id) => store.replaceMessages(id, messages, TENANT)),
  },
  {
    name: 'updateProject',
    method: 'updateProject',
    changes: true,
    maxCalls: 20,
    prepare: async (store) => {
      const { id } = await newProject(store, 0);
      return {
        call: (i) => store.updateProject(id, { maxDelegationWidth: 2 + (i % 8) }, TENANT),
      };
    },
  },
  {
    name: 'close, after one append',
    method: 'close',
    changes: true,
    lasting: true,
    maxCalls: 8,
    prepare: async (_, __, open) =>
      consuming(
        async () => {
          const store = await open();
          const { id } = await newProject(store, 0);
          const session = await newSession(store, id);
          await store.appendMessage(session.id, message(0), TENANT);
          return store;
        },
        (store) => store.close(),
      ),
  },
];

function newProject(store, i) {
  return store.createProject({ tenantId: TENANT, name: `project ${i}` }, TENANT);
}

function onSessions(change) {
  return async (store, familyCount) => {
    const { families } = await plant(store, familyCount);
    const sessions = families.flatMap(({ grandchildren }) => grandchildren);
    return { call: (i) => change(store, sessions[i % sessions.length].id) };
  };
}

function onTranscript(question) {
  return async (store) => {
    const { id } = await newSession(store, (await newProject(store, 0)).id);
    for (let i = 0; i < COUNTED; i += 1) await store.appendMessage(id, message(i), TENANT);
    return { call: () => question(store, id) };
  };
}
