import { DiskSessionStore, InMemorySessionStore } from 'namzu-native';
import { describeSessionStore } from 'namzu-native/conformance';
import { describeOverridableStore } from './conformance/overriding.js';
import { tempRoot } from './support/temp-root.js';

describeSessionStore('InMemorySessionStore', () => new InMemorySessionStore());

describeSessionStore('DiskSessionStore', () => new DiskSessionStore({ rootDir: tempRoot() }));

describeOverridableStore(InMemorySessionStore, () => []);

describeOverridableStore(DiskSessionStore, () => [{ rootDir: tempRoot() }]);
