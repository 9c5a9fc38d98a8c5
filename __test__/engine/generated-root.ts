import type { ProjectId, SessionId, SessionStore, SubSessionId } from 'namzu-native';
import { HandWrittenRoot } from '../support/hand-written.js';
import { tempRoot } from '../support/temp-root.js';
import { writeText } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

/** More projects than a store looks into one by one. */
const PROJECTS = 34;

export interface GeneratedRoot {
  readonly dir: string;
  readonly projects: readonly ProjectId[];
  readonly sessions: readonly SessionId[];
  readonly edges: readonly SubSessionId[];
}

const numbered = <P extends string>(prefix: P, i: number): `${P}_${string}` =>
  `${prefix}_${`${i}`.padStart(6, '0')}`;

/**
 * A root that no store of ours has seen: sessions over many projects, in families of ten, each
 * an edge's child below the first of its family; every fifth has a message.
 */
export async function generatedRoot(sessionCount: number): Promise<GeneratedRoot> {
  const hand = new HandWrittenRoot(tempRoot());
  const projects = Array.from({ length: PROJECTS }, (_, i) => numbered('prj', i));
  const sessions = Array.from({ length: sessionCount }, (_, i) => numbered('ses', i));
  const edges: SubSessionId[] = [];
  const projectOf = (i: number) => projects[i % PROJECTS] as ProjectId;
  await Promise.all(projects.map((id) => hand.project(id)));
  const plant = async (i: number) => {
    const id = numbered('ses', i);
    const parent = i - (i % 10);
    await hand.session(projectOf(i), id);
    if (i % 5 === 0) await message(hand.dir, projectOf(i), id);
    if (parent === i) return;
    await hand.edge(projectOf(parent), numbered('ses', parent), id, numbered('sub', i));
    edges.push(numbered('sub', i));
  };
  await Promise.all(sessions.map((_, i) => plant(i)));
  return { dir: hand.dir, projects, sessions, edges: edges.sort() };
}

async function message(dir: string, projectId: ProjectId, sessionId: SessionId): Promise<void> {
  const line = {
    id: 'msg_000000000001',
    sessionId,
    tenantId: ALPHA,
    message: { role: 'user', content: `said in ${sessionId}` },
    at: '2020-01-01T00:00:00.000Z',
  };
  const path = `projects/${projectId}/sessions/${sessionId}/messages.jsonl`;
  await writeText(dir, path, `${JSON.stringify(line)}\n`);
}

/** Everything that a store answers about a generated root. */
export async function answersOf(store: SessionStore, root: GeneratedRoot): Promise<unknown> {
  const ofSessions = root.sessions.map(async (id) => ({
    session: await store.getSession(id, ALPHA),
    view: await store.drill(id, ALPHA),
    children: await store.getChildren(id, ALPHA),
    ancestry: await store.getAncestry(id, ALPHA),
    messages: await store.loadSessionMessages(id, ALPHA),
    summary: await store.getSummary(id, ALPHA),
  }));
  return {
    projects: await Promise.all(root.projects.map((id) => store.getProject(id, ALPHA))),
    sessions: await Promise.all(ofSessions),
    edges: await Promise.all(root.edges.map((id) => store.getSubSession(id, ALPHA))),
    missing: [await store.getSession('ses_none', ALPHA), await store.drill('ses_none', ALPHA)],
  };
}
