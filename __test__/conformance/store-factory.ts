import type { SessionStore } from 'namzu-native';

/** Answers a store with nothing in it, used by one test. */
export type StoreFactory = () => SessionStore | Promise<SessionStore>;
