import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProjectId, SessionId, SubSessionId } from 'namzu-native';
import {
  AttachedSubSessionsError,
  DiskSessionStore,
  generateSessionId,
  generateSubSessionId,
} from 'namzu-native';
import { expect, it } from 'vitest';
import { HandWrittenRoot } from '../support/hand-written.js';
import { sessionFile, subSessionFile } from '../support/paths.js';
import { Prng } from '../support/prng.js';
import { rejectionOf } from '../support/rejection.js';
import { tempRoot } from '../support/temp-root.js';
import { ALPHA, userOf } from '../support/world.js';

/** 200 in the full tier. */
const ROUNDS = Number(process.env.NAMZU_TURNS ?? 60);
const PROJECTS: readonly ProjectId[] = ['prj_a', 'prj_b'];
const CHILD = fileURLToPath(new URL('./children/take-a-turn.mjs', import.meta.url));

interface Edge {
  readonly home: SessionId;
  parent: SessionId;
  child: SessionId;
}

/** What there is, by the changes that were made. */
class Model {
  readonly sessions = new Map<SessionId, ProjectId>();
  readonly edges = new Map<SubSessionId, Edge>();

  isAttached(id: SessionId): boolean {
    return [...this.edges.values()].some((edge) => edge.parent === id || edge.child === id);
  }

  holdsEdges(id: SessionId): boolean {
    return [...this.edges.values()].some((edge) => edge.home === id);
  }

  childrenOf(id: SessionId): SubSessionId[] {
    const own = [...this.edges].filter(([, edge]) => edge.parent === id);
    return own.map(([edge]) => edge).sort();
  }

  parentsOf(id: SessionId): SessionId[] {
    const edges = [...this.edges.values()].filter((edge) => edge.child === id);
    return edges.map((edge) => edge.parent).sort();
  }
}

/** One party that changes the root: through files as `@namzu/sdk` writes them, or a store. */
class Turns {
  readonly model = new Model();
  readonly changes: unknown[][] = [];

  constructor(
    public dir: string,
    readonly random: Prng,
  ) {}

  #pick<T>(of: Iterable<T>): T | undefined {
    const all = [...of];
    return all.length === 0 ? undefined : this.random.pick(all);
  }

  /** Whether an edge between these leads nowhere back: from an older session to a younger. */
  #leadsOn(parent: SessionId, child: SessionId): boolean {
    const order = [...this.model.sessions.keys()];
    return order.indexOf(parent) < order.indexOf(child);
  }

  #session = (id: SessionId) => join(this.dir, sessionFile({ id, projectId: this.#projectOf(id) }));

  #projectOf(id: SessionId): ProjectId {
    return this.model.sessions.get(id) ?? 'prj_none';
  }

  #edge(id: SubSessionId, { home }: Edge): string {
    return join(this.dir, subSessionFile({ id: home, projectId: this.#projectOf(home) }, { id }));
  }

  /** Changes a file as an editor does, or as a program that writes beside and renames. */
  #rewrite(path: string, change: object): void {
    const text = JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }, null, 2);
    const beside = this.random.below(2) === 0 ? path : `${path}.tmp`;
    writeFileSync(beside, text);
    renameSync(beside, path);
  }

  async byHand(): Promise<void> {
    const { model, random } = this;
    const hand = new HandWrittenRoot(this.dir);
    const [a, b] = [this.#pick(model.sessions.keys()), this.#pick(model.sessions.keys())];
    const [id, edge] = this.#pick(model.edges) ?? [];
    switch (random.below(7)) {
      case 0: {
        const [session, project] = [generateSessionId(), this.#pick(PROJECTS) ?? 'prj_a'];
        model.sessions.set(session, project);
        await hand.session(project, session);
        return;
      }
      case 1: {
        if (a === undefined || b === undefined || !this.#leadsOn(a, b)) return;
        const added = generateSubSessionId();
        model.edges.set(added, { home: a, parent: a, child: b });
        await hand.edge(this.#projectOf(a), a, b, added);
        return;
      }
      case 2:
        if (edge === undefined || id === undefined || a === undefined) return;
        if (!this.#leadsOn(edge.parent, a)) return;
        edge.child = a;
        this.#rewrite(this.#edge(id, edge), { childSessionId: a });
        return;
      case 3:
        if (edge === undefined || id === undefined || a === undefined) return;
        if (!this.#leadsOn(a, edge.child)) return;
        edge.parent = a;
        this.#rewrite(this.#edge(id, edge), { parentSessionId: a });
        return;
      case 4:
        if (edge === undefined || id === undefined) return;
        model.edges.delete(id);
        rmSync(dirname(this.#edge(id, edge)), { recursive: true });
        return;
      case 5:
        if (a === undefined || model.isAttached(a) || model.holdsEdges(a)) return;
        rmSync(dirname(this.#session(a)), { recursive: true });
        model.sessions.delete(a);
        return;
      default: {
        if (a === undefined) return;
        const [from, project] = [this.#session(a), this.#pick(PROJECTS) ?? 'prj_a'];
        if (project === this.#projectOf(a)) return;
        this.#rewrite(from, { projectId: project });
        model.sessions.set(a, project);
        const to = dirname(this.#session(a));
        mkdirSync(dirname(to), { recursive: true });
        renameSync(dirname(from), to);
      }
    }
  }

  /** Notes a change that a store is to make; those that make ids are made here, by hand. */
  throughStore(): void {
    const { model } = this;
    const [id, edge] = this.#pick(model.edges) ?? [];
    const a = this.#pick(model.sessions.keys());
    if (a === undefined) return;
    switch (this.random.below(4)) {
      case 0:
        if (id === undefined) return;
        model.edges.delete(id);
        this.changes.push(['deleteSubSession', id]);
        return;
      case 1:
        if (edge === undefined || id === undefined || !this.#leadsOn(edge.parent, a)) return;
        edge.child = a;
        this.changes.push(['updateSubSession', this.#record(id, edge)]);
        return;
      case 2:
        if (model.isAttached(a) || model.holdsEdges(a)) return;
        model.sessions.delete(a);
        this.changes.push(['deleteSession', a]);
        return;
      default:
        this.changes.push(['appendMessage', a, { role: 'user', content: 'said' }]);
    }
  }

  #record(id: SubSessionId, { parent, child }: Edge): object {
    const when = '2020-01-01T00:00:00.000Z';
    return {
      id,
      parentSessionId: parent,
      childSessionId: child,
      tenantId: ALPHA,
      kind: 'agent_spawn',
      status: 'pending',
      spawnedBy: userOf(ALPHA),
      spawnedAt: when,
      failureMode: 'delegate',
      completionMode: 'summary_ref',
      workspaceId: null,
      updatedAt: when,
    };
  }

  /** Has a store of this process, or of one that is killed behind it, make the changes. */
  async carryOut(how: 'closed' | 'killed' | 'restarted'): Promise<void> {
    const changes = this.changes.splice(0);
    if (how === 'closed') {
      await using store = new DiskSessionStore({ rootDir: this.dir });
      const dated = (value: unknown) =>
        typeof value === 'object' && value !== null && 'spawnedAt' in value
          ? { ...value, spawnedAt: new Date(0), updatedAt: new Date(0) }
          : value;
      for (const [method, ...args] of changes)
        await (store as never as Record<string, (...args: unknown[]) => Promise<unknown>>)[
          `${method}`
        ]?.(...args.map(dated), ALPHA);
      return;
    }
    const child = spawnSync(process.execPath, [CHILD, this.dir, JSON.stringify(changes), ALPHA]);
    expect(child.signal, `${child.stderr}`).toBe('SIGKILL');
    if (how === 'restarted') {
      const copy = tempRoot();
      cpSync(this.dir, copy, { recursive: true });
      this.dir = copy;
    }
  }

  async check(round: number): Promise<void> {
    const { model } = this;
    await using store = new DiskSessionStore({ rootDir: this.dir });
    for (const [id, projectId] of model.sessions) {
      const what = `round ${round}: ${id}`;
      const parents = model.parentsOf(id);
      if (parents.length === 0)
        expect(await store.getAncestry(id, ALPHA), what).toStrictEqual([id]);
      else await rejectionOf(store.deleteSession(id, ALPHA), AttachedSubSessionsError);
      const children = await store.getChildren(id, ALPHA);
      expect(children.map((edge) => edge.id).sort(), what).toStrictEqual(model.childrenOf(id));
      expect(await store.getSession(id, ALPHA), what).toMatchObject({ id, projectId });
      if (parents.length > 0) {
        const line = await store.getAncestry(id, ALPHA);
        expect(line.length, what).toBeGreaterThan(1);
        expect(parents, what).toContain(line.at(-2));
      }
    }
    for (const [id, { parent, child }] of model.edges) {
      const found = await store.getSubSession(id, ALPHA);
      expect(found).toMatchObject({ parentSessionId: parent, childSessionId: child });
    }
  }
}

it(`shows each party what the other did, in ${ROUNDS} turns`, { timeout: 600_000 }, async () => {
  const seed = Number(process.env.NAMZU_SEED ?? Date.now() % 1_000_000);
  const turns = new Turns(tempRoot(), new Prng(seed));
  const hand = new HandWrittenRoot(turns.dir);
  for (const project of PROJECTS) await hand.project(project);
  for (let round = 0; round < ROUNDS; round += 1) {
    const changes = 2 + turns.random.below(8);
    for (let i = 0; i < changes; i += 1) await turns.byHand();
    if (round % 2 === 0) await turns.check(round);
    for (let i = 0; i < changes; i += 1) turns.throughStore();
    const ends = ['killed', 'restarted'] as const;
    await turns.carryOut(round % 3 === 2 ? (ends[turns.random.below(2)] ?? 'killed') : 'closed');
    await turns.check(round).catch((error: unknown) => {
      throw new Error(`seed ${seed}, round ${round}`, { cause: error });
    });
  }
});
