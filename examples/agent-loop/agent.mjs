/** The loop: ask the model, run the tools that it calls, keep both, until it has answered. */

import { createToolMessage, createUserMessage } from 'namzu-native';
import { askModel } from './model.mjs';

/**
 * Runs a session to its end, from wherever it is.
 *
 * @param tools functions by name, each of the arguments of a call
 * @returns what the agent answered
 */
export async function runAgent({ store, tenant, session, task, tools, onTurn }) {
  for (;;) {
    const messages = await store.loadMessages(session.id, tenant);
    const last = messages.at(-1);
    if (last?.role === 'assistant' && last.toolCalls === undefined) return last.content;
    const turn = last === undefined ? [createUserMessage(task)] : await nextTurn(messages, tools);
    // The key is that of the place in the conversation: should the same turn be sent again,
    // by a retry of whoever does not know whether it arrived, it is not there twice.
    await store.appendMessages(session.id, turn, tenant, {
      idempotencyKey: `turn-${messages.length}`,
    });
    onTurn(turn);
  }
}

/** What the model says, with what its tools answer: they belong together. */
async function nextTurn(messages, tools) {
  const reply = await askModel(messages);
  const turn = [reply];
  for (const { id, function: called } of reply.toolCalls ?? []) {
    const answer = await tools[called.name](JSON.parse(called.arguments));
    turn.push(createToolMessage(answer, id));
  }
  return turn;
}
