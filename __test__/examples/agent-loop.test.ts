import { join } from 'node:path';
import { DiskSessionStore, type Message, type TenantId } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-root.js';
import { present } from '../support/world.js';
import { Program } from './program.js';

const TENANT: TenantId = 'tnt_example';
const ANSWER = 'The shops earned 653 in 2025. For the year before: In 2024 it was 613. Approved.';

/** What a message says, without when it was said. */
const said = ({ role, content }: Message) => `${role}: ${content}`;

/** What a run leaves in its store. */
async function leftIn(folder: string) {
  const store = new DiskSessionStore({ rootDir: join(folder, 'store') });
  const [project] = (await store.listProjects(TENANT)).items;
  const { items } = await store.listSessionsByProject(present(project).id, TENANT);
  const session = present(items[0]);
  const children = await store.getChildren(session.id, TENANT);
  const reviewed = present(children.find(({ kind }) => kind === 'user_handoff'));
  const conversation = (await store.loadMessages(session.id, TENANT)).map(said);
  const review = (await store.loadMessages(reviewed.childSessionId, TENANT)).map(said);
  await store.close();
  return {
    status: session.status,
    ownerVersion: session.ownerVersion,
    actor: session.currentActor,
    previous: session.previousActors.length,
    edges: children.map(({ kind, status }) => `${kind} ${status}`).sort(),
    conversation,
    review,
  };
}

async function run(folder: string): Promise<string> {
  const program = new Program('agent-loop/main.mjs', [folder]);
  expect(await program.end(), program.errors).toBe(0);
  return present(program.lines.at(-1));
}

/** Starts the agent and kills it when it has printed that many lines. */
async function runAndKill(folder: string, lines: number): Promise<void> {
  let heard = 0;
  const program = new Program('agent-loop/main.mjs', [folder], () => {
    heard += 1;
    if (heard === lines) program.child.kill('SIGKILL');
  });
  await program.end();
}

describe('the agent loop', () => {
  it('answers, delegates, hands over and archives', async () => {
    const folder = tempDir();
    expect(await run(folder)).toBe(ANSWER);
    const left = await leftIn(folder);
    expect(left).toMatchObject({
      status: 'idle',
      ownerVersion: 1,
      actor: { agentId: 'agt_reviewer' },
      previous: 1,
      edges: ['agent_spawn archived', 'user_handoff pending'],
    });
    expect(left.conversation).toHaveLength(8);
  });

  it('goes on after a kill at any point, and ends as if there had been none', async () => {
    const whole = tempDir();
    await run(whole);
    const expected = await leftIn(whole);
    for (let lines = 1; lines <= 17; lines += 2) {
      const folder = tempDir();
      await runAndKill(folder, lines);
      expect(await run(folder), `killed at line ${lines}`).toBe(ANSWER);
      expect(await leftIn(folder), `killed at line ${lines}`).toStrictEqual(expected);
    }
  });

  it('goes on after one kill after the other', async () => {
    const folder = tempDir();
    for (let round = 0; round < 6; round += 1) await runAndKill(folder, 2);
    expect(await run(folder)).toBe(ANSWER);
  });
});
