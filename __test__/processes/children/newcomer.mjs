// When told so, creates a project with a session and a message in a root that may not exist yet;
// when told so again, reads what every other newcomer made.
// Usage (with an IPC channel): newcomer.mjs <root>
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const tenant = 'tnt_alpha';
const store = new DiskSessionStore({ rootDir: process.argv[2] });
const message = { role: 'user', content: `from ${process.pid}` };

const steps = {
  async create() {
    const project = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
    const session = await store.createSession(
      { projectId: project.id, currentActor: null },
      tenant,
    );
    const messageId = await store.appendMessage(session.id, message, tenant);
    return { project: project.id, session: session.id, messageId };
  },
  async read({ made }) {
    return Promise.all(
      made.map(async ({ project, session }) => ({
        project: (await store.getProject(project, tenant))?.id,
        session: (await store.getSession(session, tenant))?.id,
        messageId: (await store.loadSessionMessages(session, tenant))[0]?.id,
      })),
    );
  },
};

process.on('message', (command) => {
  steps[command.step](command).then(
    (value) => process.send({ value }),
    (error) => process.send({ error: `${error.name}: ${error.message}` }),
  );
});
process.on('disconnect', () => process.exit());
process.send('ready');
