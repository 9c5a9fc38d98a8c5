/** Retention: an archive for finished sub-sessions. */

export type { ArchivalManagerDeps, ArchiveOptions, WorkspaceResolver } from './archival-manager';
export { ArchivalManager } from './archival-manager';
export type { ArchiveBundleState, DiskArchiveBackendConfig } from './disk-archive-backend';
export { DiskArchiveBackend } from './disk-archive-backend';
export type { SweepOptions, SweepProgress, SweepResult } from './sweep';
export type {
  ArchiveBackend,
  ArchiveInput,
  ArchiveOutput,
  KeptWorkspace,
  SubSessionTombstone,
} from './types';
