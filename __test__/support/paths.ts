import type { ProjectId, Session, SubSession } from 'namzu-native';

/** Where the format document puts each record, relative to the root. */
export const projectFile = (project: ProjectId) => `projects/${project}/project.json`;

export const sessionDir = (session: Pick<Session, 'id' | 'projectId'>) =>
  `projects/${session.projectId}/sessions/${session.id}`;

export const sessionFile = (session: Pick<Session, 'id' | 'projectId'>) =>
  `${sessionDir(session)}/session.json`;

export const messagesFile = (session: Pick<Session, 'id' | 'projectId'>) =>
  `${sessionDir(session)}/messages.jsonl`;

export const summaryFile = (session: Pick<Session, 'id' | 'projectId'>) =>
  `${sessionDir(session)}/summary.json`;

export const subSessionDir = (
  parent: Pick<Session, 'id' | 'projectId'>,
  edge: Pick<SubSession, 'id'>,
) => `${sessionDir(parent)}/subsessions/${edge.id}`;

export const subSessionFile = (
  parent: Pick<Session, 'id' | 'projectId'>,
  edge: Pick<SubSession, 'id'>,
) => `${sessionDir(parent)}/subsessions/${edge.id}/subsession.json`;
