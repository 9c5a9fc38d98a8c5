/** Actors: who owns a session, and who hands it on. */

import type { AgentId, SystemRoleId, TenantId, UserId } from './ids';

/** A user, an agent or a part of the system; `kind` tells which. */
export type ActorRef =
  | { kind: 'user'; userId: UserId; tenantId: TenantId }
  | {
      kind: 'agent';
      agentId: AgentId;
      tenantId: TenantId;
      /** On whose behalf the agent acts. */
      parentActor?: ActorRef;
    }
  | { kind: 'system'; role: SystemRoleId; tenantId: TenantId };
