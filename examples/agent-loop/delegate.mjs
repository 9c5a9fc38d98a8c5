/** Has a sub-agent do a task, in a session of its own below the one that asks. */

import { generateSummaryId, SessionSummaryMaterializer } from 'namzu-native';
import { runAgent } from './agent.mjs';
import { TOOLS } from './tools.mjs';

/** Delegates a task, or goes on with it when an earlier process had begun. */
export async function delegate({ store, tenant, session, task, onTurn }) {
  const edge = await edgeOf({ store, tenant, session });
  const child = await store.getSession(edge.childSessionId, tenant);
  const tell = (turn) => onTurn('sub-agent', turn);
  const answer = await runAgent({
    store,
    tenant,
    session: child,
    task,
    tools: TOOLS,
    onTurn: tell,
  });
  const summary = await summaryOf({ store, tenant, session: child, answer });
  await store.updateSubSession({ ...edge, status: 'idle', summaryRef: summary.id }, tenant);
  return summary.agentSummary;
}

/** The edge to the sub-agent's session; made if there is none. */
async function edgeOf({ store, tenant, session }) {
  const children = await store.getChildren(session.id, tenant);
  const existing = children.find(({ kind }) => kind === 'agent_spawn');
  if (existing !== undefined) return existing;
  const subAgent = {
    kind: 'agent',
    agentId: 'agt_summer',
    tenantId: tenant,
    parentActor: session.currentActor,
  };
  // A process that is killed between the two leaves a session that nobody refers to.
  const child = await store.createSession(
    { projectId: session.projectId, currentActor: subAgent },
    tenant,
  );
  return store.createSubSession(
    {
      parentSessionId: session.id,
      childSessionId: child.id,
      kind: 'agent_spawn',
      spawnedBy: session.currentActor,
    },
    tenant,
  );
}

async function summaryOf({ store, tenant, session, answer }) {
  const materializer = new SessionSummaryMaterializer({ store, generateSummaryId });
  const existing = await materializer.recover(session.id, tenant);
  return (
    existing ??
    materializer.materialize({
      sessionId: session.id,
      tenantId: tenant,
      finalOutcome: { status: 'succeeded' },
      agentSummary: answer,
      declaredDeliverables: [],
      keyDecisions: [],
    })
  );
}
