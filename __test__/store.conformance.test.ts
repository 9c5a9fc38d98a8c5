import { DiskSessionStore, InMemorySessionStore } from 'namzu-native';
import { CONFORMANCE_GROUPS, describeSessionStore } from 'namzu-native/conformance';
import { describeOverridableStore } from './conformance/overriding.js';
import { tempRoot } from './support/temp-root.js';

describeSessionStore('InMemorySessionStore', () => new InMemorySessionStore());

describeSessionStore('DiskSessionStore', () => new DiskSessionStore({ rootDir: tempRoot() }));

describeSessionStore(
  'two DiskSessionStores',
  () => {
    const rootDir = tempRoot();
    return { store: new DiskSessionStore({ rootDir }), second: new DiskSessionStore({ rootDir }) };
  },
  { skip: CONFORMANCE_GROUPS.filter((group) => group !== 'two-objects') },
);

describeOverridableStore(InMemorySessionStore, () => []);

describeOverridableStore(DiskSessionStore, () => [{ rootDir: tempRoot() }]);
