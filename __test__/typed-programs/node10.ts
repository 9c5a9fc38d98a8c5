// Every entry point, resolved as TypeScript did before packages had `exports`.
import { DiskSessionStore, type SessionStore } from 'namzu-native';
import { describeSessionStore } from 'namzu-native/conformance';
import { __resetSeenLegacyForTests } from 'namzu-native/testing';

const store: SessionStore = new DiskSessionStore({ rootDir: './data' });
describeSessionStore('disk', () => store);
__resetSeenLegacyForTests();

// @ts-expect-error the types are there, not `any`
describeSessionStore(store);
