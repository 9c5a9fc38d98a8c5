/** Retention: an archive for finished sub-sessions. */

export type { ArchiveOptions } from './archival-manager';
export { ArchivalManager } from './archival-manager';
export type { ArchivalManagerDeps, WorkspaceResolver } from './dependencies';
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
