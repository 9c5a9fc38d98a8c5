// Reads everything that is listed and prints it.
// Usage: read-root.mjs <root> '{ "projects": [[id, tenant]], "sessions": [[id, tenant, …edges]] }'
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [, , rootDir, ids] = process.argv;
const store = new DiskSessionStore({ rootDir });
const listed = JSON.parse(ids);

const projects = await Promise.all(listed.projects.map((args) => store.getProject(...args)));
const sessions = await Promise.all(
  listed.sessions.map(async ([id, tenant, ...edges]) => ({
    session: await store.getSession(id, tenant),
    messages: await store.loadSessionMessages(id, tenant),
    children: await store.getChildren(id, tenant),
    ancestry: await store.getAncestry(id, tenant),
    summary: await store.getSummary(id, tenant),
    edges: await Promise.all(edges.map((edge) => store.getSubSession(edge, tenant))),
  })),
);
console.log(JSON.stringify({ projects, sessions }));
