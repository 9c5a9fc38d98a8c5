/** Where the files of a project, session, sub-session and run are. */

import { join } from 'node:path';
import { string } from '../arguments';
import { publicError } from '../errors/from-native';
import type { ProjectId, RunId, SessionId, SubSessionId } from '../ids';
import { native } from '../native';

/**
 * Builds the paths of the record tree. An id that is no path component throws
 * `InvalidIdError`, so that no path leads out of the root.
 */
export interface PathBuilder {
  /** The root, as it was given. */
  rootDir(): string;
  /** `projects/<projectId>`. */
  projectDir(projectId: ProjectId): string;
  /** The project's `sessions/<sessionId>`. */
  sessionDir(projectId: ProjectId, sessionId: SessionId): string;
  /** The parent session's `subsessions/<subSessionId>`. */
  subSessionDir(projectId: ProjectId, sessionId: SessionId, subSessionId: SubSessionId): string;
  /** The session's `runs/<runId>`. */
  runDir(projectId: ProjectId, sessionId: SessionId, runId: RunId): string;
}

/** The paths under which `DiskSessionStore` keeps its records. */
export class DefaultPathBuilder implements PathBuilder {
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  rootDir(): string {
    return this.root;
  }

  projectDir(projectId: ProjectId): string {
    return join(this.root, 'projects', component('ProjectId', projectId));
  }

  sessionDir(projectId: ProjectId, sessionId: SessionId): string {
    return join(this.projectDir(projectId), 'sessions', component('SessionId', sessionId));
  }

  subSessionDir(projectId: ProjectId, sessionId: SessionId, subSessionId: SubSessionId): string {
    const session = this.sessionDir(projectId, sessionId);
    return join(session, 'subsessions', component('SubSessionId', subSessionId));
  }

  runDir(projectId: ProjectId, sessionId: SessionId, runId: RunId): string {
    return join(this.sessionDir(projectId, sessionId), 'runs', component('RunId', runId));
  }
}

function component(kind: string, id: string): string {
  try {
    native.checkPathId(kind, string(kind, id));
    return id;
  } catch (error) {
    throw publicError(error);
  }
}
