import { DiskSessionStore } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../support/temp-root.js';
import { present } from '../support/world.js';
import { Program } from './program.js';

const [ACME, GLOBEX] = ['key-of-acme', 'key-of-globex'];

/** The service in a process of its own, on a port that was free. */
async function serve(root: string) {
  let hear: (line: string) => void = () => {};
  const listening = new Promise<string>((resolve) => {
    hear = resolve;
  });
  const program = new Program('service/main.mjs', [root, '0'], (line) => hear(line));
  const base = present(/http:\S+/.exec(await listening)?.[0]);
  const ask = async (key: string, path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...(init.headers as object) };
    const response = await fetch(`${base}${path}`, { ...init, headers });
    return { status: response.status, text: await response.text() };
  };
  return { program, ask };
}

const post = (body: object = {}, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers,
});

describe('the service', () => {
  it('keeps, lists and exports the conversations of a tenant', async () => {
    const { ask } = await serve(tempRoot());
    const created = await ask(ACME, '/sessions', post());
    expect(created.status).toBe(201);
    const { id } = JSON.parse(created.text);
    for (const content of ['one', 'two']) {
      expect((await ask(ACME, `/sessions/${id}/messages`, post({ content }))).status).toBe(201);
    }
    const last = await ask(ACME, `/sessions/${id}/messages?limit=1`);
    expect(JSON.parse(last.text)).toMatchObject([{ message: { role: 'user', content: 'two' } }]);
    const exported = (await ask(ACME, `/sessions/${id}/export`)).text.trim().split('\n');
    expect(exported.map((line) => JSON.parse(line).message.content)).toStrictEqual(['one', 'two']);
    const listed = JSON.parse((await ask(ACME, '/sessions')).text);
    expect(listed.items.map((session: { id: string }) => session.id)).toStrictEqual([id]);
  });

  it('tells a tenant nothing of another', async () => {
    const { ask } = await serve(tempRoot());
    const { id } = JSON.parse((await ask(ACME, '/sessions', post())).text);
    const missing = await ask(GLOBEX, '/sessions/ses_nobodyknows1/messages');
    expect(missing.status).toBe(404);
    expect(await ask(GLOBEX, `/sessions/${id}/messages`)).toStrictEqual(missing);
    expect(await ask(GLOBEX, `/sessions/${id}/export`)).toStrictEqual(missing);
    const write = await ask(GLOBEX, `/sessions/${id}/messages`, post({ content: 'x' }));
    expect(write).toStrictEqual(missing);
    expect((await ask('no-key', '/sessions')).status).toBe(401);
  });

  it('says what is wrong with a request', async () => {
    const { ask } = await serve(tempRoot());
    const { id } = JSON.parse((await ask(ACME, '/sessions', post())).text);
    const messages = `/sessions/${id}/messages`;
    expect((await ask(ACME, messages, { method: 'POST', body: '{' })).status).toBe(400);
    expect((await ask(ACME, messages, post({ content: 7 }))).status).toBe(400);
    expect((await ask(ACME, `${messages}?limit=-1`)).status).toBe(400);
    expect((await ask(ACME, '/elsewhere')).status).toBe(404);
    const key = { 'idempotency-key': 'first' };
    const once = await ask(ACME, messages, post({ content: 'x' }, key));
    expect(await ask(ACME, messages, post({ content: 'x' }, key))).toStrictEqual(once);
    expect((await ask(ACME, messages, post({ content: 'y' }, key))).status).toBe(409);
  });

  it.skipIf(process.platform === 'win32')(
    'answers what it has begun before it ends, and loses none of it',
    async () => {
      const root = tempRoot();
      const { program, ask } = await serve(root);
      const { id } = JSON.parse((await ask(ACME, '/sessions', post())).text);
      const sent = Array.from({ length: 50 }, (_, i) =>
        ask(ACME, `/sessions/${id}/messages`, post({ content: `${i}` })).catch(() => undefined),
      );
      await Promise.race(sent);
      program.child.kill('SIGTERM');
      const answers = await Promise.all(sent);
      expect(await program.end(), program.errors).toBe(0);
      expect(program.lines.at(-1)).toBe('closed');

      const acknowledged = answers.flatMap((answer) =>
        answer?.status === 201 ? [JSON.parse(answer.text).id] : [],
      );
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(answers.every((answer) => answer === undefined || answer.status === 201)).toBe(true);
      const store = new DiskSessionStore({ rootDir: root });
      const stored = await store.loadSessionMessages(id, 'tnt_acme');
      expect(stored.map((message) => message.id)).toEqual(expect.arrayContaining(acknowledged));
    },
  );
});
