import {
  DiskSessionStore,
  generateTenantId,
  type Message,
  type Session,
  type SessionStore,
  type TenantId,
} from 'namzu-native';
import { describeSessionStore } from 'namzu-native/conformance';

const tenant: TenantId = generateTenantId();

export async function last(store: SessionStore, session: Session): Promise<Message | undefined> {
  return (await store.loadMessages(session.id, tenant)).at(-1);
}

export const disk: SessionStore = new DiskSessionStore({ rootDir: './data' });

describeSessionStore('typed', () => disk, { skip: ['concurrency'] });

// @ts-expect-error a tenant is no session: the types are there, not `any`
disk.getSession(tenant, tenant);
