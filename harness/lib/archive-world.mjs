/** What several processes archive, evict, restore, edit, read and delete. */

export const TENANT = 'tnt_alpha';
export const PLACES = ['ours', 'slow'];

const USER = { kind: 'user', userId: 'usr_ada', tenantId: TENANT };
/** Messages of each child of a place; a log of many is archived and read in several steps. */
const CHILDREN = [4, 40, 1_400];
const DOOMED = [1_400, 2_200, 300];
const FILLER = 'é-'.repeat(700);

/** A message that says a token, and so much more. */
export function saying(token, long = false) {
  return { role: 'user', content: `${token} ${long ? FILLER : ''}` };
}

export const tokenOf = ({ content }) => content.slice(0, content.indexOf(' '));

export async function edgeBetween(store, parentSessionId, childSessionId) {
  const params = { parentSessionId, childSessionId, kind: 'agent_spawn', spawnedBy: USER };
  return await store.createSubSession(params, TENANT);
}

async function sessionOf(store, projectId, messages) {
  const session = await store.createSession({ projectId, currentActor: USER }, TENANT);
  const initial = Array.from({ length: messages }, (_, n) => `i${n}`);
  const said = initial.map((token) => saying(token, messages > 100));
  if (messages > 0) await store.appendMessages(session.id, said, TENANT);
  return { id: session.id, initial };
}

/**
 * A project for each place of archives, each with two parents and some children, every child with
 * edges from both; and sessions that are there to be deleted while they are read.
 */
export async function makeWorld(store, without) {
  const projects = [];
  const long = (messages) => (without.includes('long logs') ? Math.min(messages, 60) : messages);
  for (const place of PLACES.filter((one) => !without.includes(one))) {
    const { id } = await store.createProject({ tenantId: TENANT, name: place }, TENANT);
    const parents = [await sessionOf(store, id, 0), await sessionOf(store, id, 0)];
    const children = [];
    for (const messages of CHILDREN) {
      const child = await sessionOf(store, id, long(messages));
      for (const parent of without.includes('second edges') ? [parents[0]] : parents) {
        const edge = await edgeBetween(store, parent.id, child.id);
        await store.updateSubSession({ ...edge, status: 'idle' }, TENANT);
      }
      children.push(child);
    }
    projects.push({ id, place, parents: parents.map((parent) => parent.id), children });
  }
  const doomed = [];
  for (const messages of DOOMED)
    doomed.push(await sessionOf(store, projects[0].id, long(messages)));
  return { projects, doomed };
}
