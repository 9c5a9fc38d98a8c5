import { readFileSync } from 'node:fs';
import type { Session, TenantId, WorkspaceRef } from 'namzu-native';
import { writeText } from './tree.js';

/** Where the format document puts what is left of an unfinished handoff. */
export const intentFile = (source: Pick<Session, 'id'>) => `.store/intents/${source.id}.json`;

/** No process has such a number. */
const NOBODY = 2 ** 22 + 7;

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Writes by hand what a process left that died while it handed a session off. */
export async function leaveIntent(
  root: string,
  source: Session,
  tenant: TenantId,
  says: string,
  workspaces: readonly WorkspaceRef[] = [],
): Promise<void> {
  const intent = {
    sourceSessionId: source.id,
    tenantId: tenant,
    mode: 'single',
    ownerVersion: source.ownerVersion,
    attempt: says,
    process: { pid: NOBODY, startTime: '1', bootId: bootId(), copy: says },
    at: new Date(),
    assignments: [{ id: `hof_${says}`, mode: 'single', sourceSessionId: source.id }],
    workspaces,
  };
  await writeText(root, intentFile(source), JSON.stringify(intent, null, 2));
}
