// The whole of it. Usage: main.mjs <folder>
// Kill it whenever you like and start it again: it goes on where it was.

import { join } from 'node:path';
import process from 'node:process';
import { ArchivalManager, DiskArchiveBackend, DiskSessionStore } from 'namzu-native';
import { runAgent } from './agent.mjs';
import { delegate } from './delegate.mjs';
import { handoffDeps, recover, review } from './review.mjs';
import { TOOLS } from './tools.mjs';

const TENANT = 'tnt_example';
const ANALYST = { kind: 'agent', agentId: 'agt_analyst', tenantId: TENANT };
const TASK = 'What did our shops earn together in 2025, and in the year before?';

const folder = process.argv[2] ?? './agent-data';
const store = new DiskSessionStore({ rootDir: join(folder, 'store') });
const deps = handoffDeps(store, folder);
await recover(deps, TENANT);

const session = await openSession();
const answer = await runAgent({
  store,
  tenant: TENANT,
  session,
  task: TASK,
  tools: {
    ...TOOLS,
    delegate: ({ task }) => delegate({ store, tenant: TENANT, session, task, onTurn: show }),
  },
  onTurn: (turn) => show('analyst', turn),
});
const verdict = await review({ deps, tenant: TENANT, session, answer, onTurn: show });
await archiveSubAgent();
await store.close();
console.log(`${answer} ${verdict}`);

/** The session of this example; an earlier run may have made it. */
async function openSession() {
  const { items: projects } = await store.listProjects(TENANT);
  const project =
    projects[0] ?? (await store.createProject({ tenantId: TENANT, name: 'Shops' }, TENANT));
  const { items: sessions } = await store.listSessionsByProject(project.id, TENANT);
  return (
    sessions[0] ?? store.createSession({ projectId: project.id, currentActor: ANALYST }, TENANT)
  );
}

/** What the sub-agent said is needed no more: its summary is in the conversation. */
async function archiveSubAgent() {
  const manager = new ArchivalManager({
    sessionStore: store,
    workspaceRegistry: deps.workspaceRegistry,
    archiveBackend: new DiskArchiveBackend({ rootDir: join(folder, 'store') }),
  });
  for (const edge of await store.getChildren(session.id, TENANT)) {
    if (edge.kind !== 'agent_spawn' || edge.status === 'archived') continue;
    const { archiveRef } = await manager.archive(edge.id, TENANT, { evict: true });
    console.log(`archived: ${archiveRef}`);
  }
}

function show(who, turn) {
  for (const { role, content, toolCalls } of turn) {
    const said = content ?? toolCalls.map((call) => `→ ${call.function.name}`).join(' ');
    console.log(`${who}, ${role}: ${said}`);
  }
}
