/** Tenants and their projects. */

import type { KnowledgeBaseRef, MemoryStoreRef, ProjectId, TenantId, VaultRef } from './ids';
import type { RetentionPolicy } from './retention';

/**
 * The owner of projects: no tenant sees anything of another.
 *
 * @remarks For `@namzu/sdk`: nothing in this package uses it.
 */
export interface Tenant {
  id: TenantId;
  createdAt: Date;
}

/** Limits and shared resources of a project. */
export interface ProjectConfig {
  /** How many levels of sub-sessions may hang below one another; 4 in a new project. */
  maxDelegationDepth: number;
  /** How many sub-sessions one session may have; 8 in a new project. */
  maxDelegationWidth: number;
  /** How long a chain of interventions may become; 10 in a new project. */
  maxInterventionDepth: number;
  sharedMemoryStores?: readonly MemoryStoreRef[];
  sharedVaults?: readonly VaultRef[];
  sharedKnowledgeBases?: readonly KnowledgeBaseRef[];
  sharedDeliverables?: boolean;
  /** When sub-sessions of the project are archived. Absent: never. */
  retentionPolicy?: RetentionPolicy;
}

/** A part of a configuration: what is absent or `undefined` stays as it is. */
export type ProjectConfigPatch = { [Key in keyof ProjectConfig]?: ProjectConfig[Key] | undefined };

/** A body of work of one tenant: sessions belong to a project. */
export interface Project {
  id: ProjectId;
  tenantId: TenantId;
  name: string;
  config: ProjectConfig;
  createdAt: Date;
  updatedAt: Date;
}
