/**
 * Records read back from JSON. Only the dates of known fields are revived, in
 * place: a walk over everything would touch what the application wrote itself,
 * and costs more than the parsing.
 *
 * Until its date is revived, a field that is typed `Date` holds the text, or the
 * number, that `new Date` takes.
 */

import type { DeliverableRef } from './deliverable';
import type { SessionMessage } from './message';
import type { Page } from './page';
import type { Project } from './project';
import type { Session } from './session';
import type { SessionView, SubSession } from './sub-session';
import type { SessionSummaryRef } from './summary';

export function parseProject(text: string): Project {
  const project: Project = JSON.parse(text);
  project.createdAt = new Date(project.createdAt);
  project.updatedAt = new Date(project.updatedAt);
  return project;
}

export function parseProjects(text: string): Page<Project> {
  const page: Page<Project> = JSON.parse(text);
  for (const project of page.items) {
    project.createdAt = new Date(project.createdAt);
    project.updatedAt = new Date(project.updatedAt);
  }
  return page;
}

export function parseSessions(text: string): Page<Session> {
  const page: Page<Session> = JSON.parse(text);
  for (const session of page.items) reviveSession(session);
  return page;
}

export function parseSession(text: string): Session {
  return reviveSession(JSON.parse(text));
}

export function parseSubSession(text: string): SubSession {
  return reviveSubSession(JSON.parse(text));
}

export function parseSubSessions(text: string): SubSession[] {
  const edges: SubSession[] = JSON.parse(text);
  for (const edge of edges) reviveSubSession(edge);
  return edges;
}

export function parseSessionView(text: string): SessionView {
  const view: SessionView = JSON.parse(text);
  reviveSession(view.session);
  for (const edge of view.children) reviveSubSession(edge);
  return view;
}

export function parseSummary(text: string): SessionSummaryRef {
  return reviveSummary(JSON.parse(text));
}

export function reviveSummary(summary: SessionSummaryRef): SessionSummaryRef {
  reviveAt(summary);
  for (const decision of summary.keyDecisions) reviveAt(decision);
  for (const deliverable of summary.deliverables) reviveDeliverable(deliverable);
  return summary;
}

/** The one list whose parts the texts are. A long list arrives in several. */
export function parseList<T>(texts: readonly string[]): T[] {
  const [first = '[]', ...rest] = texts;
  const list: T[] = JSON.parse(first);
  for (const text of rest) {
    for (const item of JSON.parse(text)) list.push(item);
  }
  return list;
}

export function parseSessionMessages(texts: readonly string[]): SessionMessage[] {
  const messages = parseList<SessionMessage>(texts);
  for (const message of messages) reviveAt(message);
  return messages;
}

function reviveSession(session: Session): Session {
  session.createdAt = new Date(session.createdAt);
  session.updatedAt = new Date(session.updatedAt);
  return session;
}

function reviveSubSession(edge: SubSession): SubSession {
  edge.spawnedAt = new Date(edge.spawnedAt);
  edge.updatedAt = new Date(edge.updatedAt);
  if (edge.archivedAt !== undefined) edge.archivedAt = new Date(edge.archivedAt);
  if (edge.prevArtifactRef !== undefined) reviveDeliverable(edge.prevArtifactRef);
  return edge;
}

function reviveDeliverable(deliverable: DeliverableRef): void {
  if (deliverable.kind === 'session_summary') reviveAt(deliverable);
}

function reviveAt(record: { readonly at: Date }): void {
  (record as { at: Date }).at = new Date(record.at);
}
