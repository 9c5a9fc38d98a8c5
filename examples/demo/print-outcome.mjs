import { renderTree } from './print-tree.mjs';

/** Enough to see what is wrong; a damaged root may differ in thousands of places. */
const MAX_DIFFERENCES = 20;

/** @param {import('./run-demo.mjs').Outcome} outcome */
export function printOutcome({ report, expectations, writing, usage }) {
  const { project, sessions } = expectations;
  const counts = sessions.map(({ messages }) => messages.length);
  const messages = counts.reduce((total, count) => total + count, 0);
  const summaries = sessions.filter(({ summary }) => summary !== null).length;

  console.log(`${project.name}  (project ${project.id}, tenant ${project.tenantId})\n`);
  console.log(renderTree(report.tree));
  console.log();
  line('stored', `${sessions.length} sessions, ${sessions[0].children.length} sub-sessions,`);
  line('', `${messages.toLocaleString('en')} messages, ${summaries} summaries`);
  line('on disk', `${size(usage.records)}; engine: ${size(usage.engine)}`);
  line('writing', pace(writing.calls, writing.milliseconds));
  line('reading', `${pace(report.reads, report.milliseconds)}, in a second process`);
  printVerdict(report.differences);
}

function printVerdict(differences) {
  if (differences.length === 0) {
    line('compared', 'every message, session, sub-session and summary is as it was put in');
    return;
  }
  line('compared', `${differences.length} answers differ from what was put in:`);
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
