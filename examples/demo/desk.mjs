// What the steps of the demo share: a store with its tenant and project, and what the store must
// answer once they are done. That is written down from what was put in, not from what the store
// says; only ids and dates, which the store chooses, are taken from its answers.

/**
 * @typedef {object} Desk
 * @property {import('namzu-native').SessionStore} store
 * @property {import('namzu-native').TenantId} tenantId
 * @property {import('namzu-native').ProjectId} projectId
 */

/**
 * @typedef {object} ExpectedSession
 * @property {import('namzu-native').Session} session
 * @property {import('namzu-native').SessionId[]} ancestry
 * @property {import('namzu-native').SubSession[]} children
 * @property {import('namzu-native').SessionSummaryRef | null} summary
 * @property {import('namzu-native').MessageId[]} messageIds
 * @property {string[]} messages each as its JSON text, which is what the store promises to keep
 * @property {ExpectedBundle | null} bundle of a session that was archived and evicted
 */

/**
 * @typedef {object} ExpectedBundle
 * @property {import('namzu-native').ArchiveBackendRef} archiveRef
 * @property {import('namzu-native').SubSessionId} subSessionId
 * @property {string[]} messageDates what the messages' envelopes said before
 * @property {boolean} restored whether the session has its messages back
 */

/**
 * @typedef {object} ExpectedWorkspace
 * @property {import('namzu-native').WorkspaceId} id
 * @property {string} path
 * @property {string} branch
 */

/**
 * @typedef {object} Expectations
 * @property {import('namzu-native').Project} project
 * @property {ExpectedSession[]} sessions the dispatcher's first
 * @property {string | null} repository that the workspaces belong to; `null` without git
 * @property {ExpectedWorkspace[]} workspaces
 */

/**
 * A session as it is when it was just made.
 *
 * @param {Desk} desk
 * @param {import('namzu-native').Session} created as the store answered it
 * @param {import('namzu-native').ActorRef} currentActor
 * @param {readonly import('namzu-native').SessionId[]} [ancestry] of its parent
 * @returns {ExpectedSession}
 */
export function newSession({ tenantId, projectId }, created, currentActor, ancestry = []) {
  const { id, createdAt, updatedAt } = created;
  /** @type {import('namzu-native').Session} */
  const session = {
    id,
    projectId,
    tenantId,
    status: 'idle',
    currentActor,
    previousActors: [],
    workspaceId: null,
    ownerVersion: 0,
    createdAt,
    updatedAt,
  };
  return {
    session,
    ancestry: [...ancestry, id],
    children: [],
    summary: null,
    messageIds: [],
    messages: [],
    bundle: null,
  };
}

/**
 * An edge as it is when it was just made.
 *
 * @param {import('namzu-native').SubSession} created as the store answered it
 * @param {import('namzu-native').CreateSubSessionParams} params
 * @returns {import('namzu-native').SubSession}
 */
export function newEdge({ id, spawnedAt, updatedAt }, params) {
  return {
    id,
    ...params,
    status: 'pending',
    spawnedAt,
    failureMode: 'delegate',
    completionMode: 'summary_ref',
    workspaceId: null,
    updatedAt,
  };
}

/**
 * @param {Desk} desk
 * @param {ExpectedSession} expected
 * @param {import('namzu-native').Message} message
 */
export async function say({ store, tenantId }, expected, message) {
  expected.messages.push(JSON.stringify(message));
  expected.messageIds.push(await store.appendMessage(expected.session.id, message, tenantId));
}

/**
 * `updatedAt` is the one date that an update stamps without answering it. Taking it from here
 * makes the second process prove that it reads the record that this one last saw.
 *
 * @param {Desk} desk
 * @param {readonly ExpectedSession[]} sessions
 */
export async function learnUpdateDates({ store, tenantId }, sessions) {
  for (const { session, children } of sessions) {
    session.updatedAt = (await store.getSession(session.id, tenantId)).updatedAt;
    for (const edge of children) {
      edge.updatedAt = (await store.getSubSession(edge.id, tenantId)).updatedAt;
    }
  }
}

/** The order in which a store lists the edges of a session; those of one instant stay as they came. */
export function bySpawnTime(a, b) {
  return a.spawnedAt.getTime() - b.spawnedAt.getTime();
}
