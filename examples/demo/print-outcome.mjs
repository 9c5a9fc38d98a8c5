import { renderTree } from './print-tree.mjs';

/** Enough to see what is wrong; a damaged root may differ in thousands of places. */
const MAX_DIFFERENCES = 20;

/** @param {import('./run-demo.mjs').Outcome} outcome */
export function printOutcome({ report, expectations, usage, ...timings }) {
  const { writing, handingOver, retiring } = timings;
  const { project, sessions, workspaces } = expectations;
  const counts = sessions.map(({ messages }) => messages.length);
  const messages = counts.reduce((total, count) => total + count, 0);
  const summaries = sessions.filter(({ summary }) => summary !== null).length;

  console.log(`${project.name}  (project ${project.id}, tenant ${project.tenantId})\n`);
  console.log(renderTree(report.tree));
  console.log();
  const edges = sessions.reduce((total, { children }) => total + children.length, 0);
  line('stored', `${sessions.length} sessions, ${edges} sub-sessions,`);
  line('', `${messages.toLocaleString('en')} messages, ${summaries} summaries`);
  line('on disk', `${size(usage.records)}; engine: ${size(usage.engine)}`);
  line('writing', pace(writing.calls, writing.milliseconds));
  printHandoffs(expectations, handingOver);
  printRetired(sessions, retiring);
  line('reading', `${pace(report.reads, report.milliseconds)}, in a second process`);
  printVerdict(report.differences, workspaces.length > 0);
}

function printHandoffs({ repository, sessions, workspaces }, milliseconds) {
  if (repository === null) {
    line('handoffs', 'git is missing: handoffs are left out');
    return;
  }
  const passed = sessions.filter(({ session }) => session.previousActors.length > 0);
  for (const { session } of passed) {
    const { previousActors, currentActor, ownerVersion } = session;
    const from = previousActors.at(-1).agentId;
    line('handoffs', `${from} (v${ownerVersion - 1}) → ${currentActor.agentId} (v${ownerVersion})`);
  }
  const waiting = sessions.filter(({ session }) => session.status === 'awaiting_merge');
  for (const { session, children } of waiting) {
    const { currentActor, ownerVersion } = session;
    const from = `${currentActor.agentId} (v${ownerVersion - 1})`;
    line('', `${from} → ${children.length} at once, and waits for them (v${ownerVersion})`);
  }
  line('', `${workspaces.length} worktrees, ${Math.round(milliseconds)} ms`);
}

function printRetired(sessions, milliseconds) {
  const bundles = sessions.flatMap(({ bundle }) => bundle ?? []);
  const restored = bundles.filter((bundle) => bundle.restored).length;
  const counts = `${bundles.length} archived and evicted, ${restored} of them restored`;
  line('retired', `${counts}, ${Math.round(milliseconds)} ms`);
}

function printVerdict(differences, worktrees) {
  if (differences.length === 0) {
    const compared = worktrees ? 'message, bundle and worktree' : 'message and bundle';
    line('compared', `every record, ${compared} is as it was left`);
    return;
  }
  line('compared', `${differences.length} answers differ from what was left:`);
  for (const text of differences.slice(0, MAX_DIFFERENCES)) console.log(`  - ${text}`);
  const more = differences.length - MAX_DIFFERENCES;
  if (more > 0) console.log(`  … and ${more} more`);
}

function line(label, text) {
  console.log(`${label.padEnd(10)}${text}`);
}

function size({ files, bytes }) {
  return `${bytes.toLocaleString('en')} bytes in ${files.toLocaleString('en')} files`;
}

function pace(calls, milliseconds) {
  const perSecond = Math.round((calls * 1000) / milliseconds).toLocaleString('en');
  return `${calls.toLocaleString('en')} operations, ${perSecond} per second`;
}
