/** What each request does. */

import { once } from 'node:events';
import { HttpError } from './failures.mjs';

const LONGEST_BODY = 1_000_000;

/** Method and path, with what answers them. A path's parts are handed over in order. */
const ROUTES = [
  ['POST', /^\/sessions$/, createSession],
  ['GET', /^\/sessions$/, listSessions],
  ['POST', /^\/sessions\/([^/]+)\/messages$/, appendMessage],
  ['GET', /^\/sessions\/([^/]+)\/messages$/, loadMessages],
  ['GET', /^\/sessions\/([^/]+)\/export$/, exportMessages],
];

/** Answers a request of a tenant. */
export async function route({ store, tenant, request, response }) {
  const url = new URL(request.url, 'http://localhost');
  for (const [method, path, handle] of ROUTES) {
    const parts = path.exec(url.pathname);
    if (request.method !== method || parts === null) continue;
    return handle({ store, tenant, request, response, query: url.searchParams }, ...parts.slice(1));
  }
  throw new HttpError(404, 'not found');
}

async function createSession({ store, tenant, response }) {
  const { id: projectId } = await projectOf(store, tenant);
  send(response, 201, await store.createSession({ projectId, currentActor: null }, tenant));
}

async function listSessions({ store, tenant, response, query }) {
  const { id } = await projectOf(store, tenant);
  const cursor = query.get('cursor') ?? undefined;
  send(response, 200, await store.listSessionsByProject(id, tenant, { limit: 50, cursor }));
}

async function appendMessage({ store, tenant, request, response }, sessionId) {
  const { content } = await bodyOf(request);
  if (typeof content !== 'string') throw new HttpError(400, 'content must be a string');
  await existing(store, sessionId, tenant);
  // A client that got no answer sends the message again under the same key.
  const idempotencyKey = request.headers['idempotency-key'];
  // The message bears no time, so that what is sent again is the same; its envelope does.
  const message = { role: 'user', content };
  const id = await store.appendMessage(sessionId, message, tenant, { idempotencyKey });
  send(response, 201, { id });
}

async function loadMessages({ store, tenant, response, query }, sessionId) {
  await existing(store, sessionId, tenant);
  const limit = query.has('limit') ? Number(query.get('limit')) : 50;
  const before = query.get('before') ?? undefined;
  send(response, 200, await store.loadSessionMessages(sessionId, tenant, { limit, before }));
}

/** All messages, one a line, however many: neither here nor in the store is all of it in memory. */
async function exportMessages({ store, tenant, response }, sessionId) {
  await existing(store, sessionId, tenant);
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  for await (const message of store.streamMessages(sessionId, tenant)) {
    const more = response.write(`${JSON.stringify(message)}\n`);
    if (response.destroyed) return;
    if (!more) await once(response, 'drain');
  }
  response.end();
}

/** The one project of a tenant. */
async function projectOf(store, tenant) {
  const { items } = await store.listProjects(tenant, { limit: 1 });
  return items[0] ?? store.createProject({ tenantId: tenant, name: 'Conversations' }, tenant);
}

async function existing(store, sessionId, tenant) {
  const session = await store.getSession(sessionId, tenant);
  if (session === null) throw new HttpError(404, 'not found');
}

async function bodyOf(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > LONGEST_BODY) throw new HttpError(413, 'too long');
  }
  try {
    return JSON.parse(text) ?? {};
  } catch {
    throw new HttpError(400, 'the body must be JSON');
  }
}

/** Answers with JSON. */
export function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
