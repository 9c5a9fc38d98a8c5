// Serves conversations of two tenants. Usage: main.mjs <folder> [port]

import { createServer } from 'node:http';
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';
import { failureOf } from './failures.mjs';
import { route, send } from './routes.mjs';
import { tenantOf } from './tenants.mjs';

const [folder = './service-data', port = '8080'] = process.argv.slice(2);
const store = new DiskSessionStore({ rootDir: folder });

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    const { status, message } = failureOf(error);
    // What was begun cannot become another answer; the client sees that it is cut short.
    if (response.headersSent) response.destroy();
    else send(response, status, { message });
  });
});

async function answer(request, response) {
  const tenant = tenantOf(request);
  if (tenant === undefined) return send(response, 401, { message: 'which tenant are you?' });
  await route({ store, tenant, request, response });
}

/** No new connections; what was begun is answered; then the store is closed, and nothing is left. */
async function shutDown() {
  console.log('shutting down');
  const answered = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await answered;
  await store.close();
  console.log('closed');
}

process.once('SIGTERM', shutDown);
process.once('SIGINT', shutDown);

server.listen(Number(port), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
