import type { ActorRef, DeliverableRef, Session, SubSession, TenantId } from 'namzu-native';
import type { Prng } from '../support/prng.js';
import { SESSION_STATUSES, SUB_SESSION_STATUSES } from '../support/unions.js';
import { ALPHA, agentOf, BETA, userOf } from '../support/world.js';
import type { AnyTenant, Kind } from './twin.js';

const MALFORMED_ENDS = ['', '../up', 'a b', 'a/b', 'ä', 'x'.repeat(125)];

/** Random arguments: mostly good ones, and now and then one that must be refused. */
export class Choices {
  /** Names that were given so far, and who owns them. */
  readonly #owners = new Map<string, TenantId>();
  readonly #count = new Map<Kind, number>();
  readonly #spawnTimes = new Set<number>();

  constructor(readonly random: Prng) {}

  /** The name of what is created next, or of what is created so many later. */
  nextName(kind: Kind, later = 0): string {
    return `${kind}#${(this.#count.get(kind) ?? 0) + 1 + later}`;
  }

  /** Keeps a name that a creation succeeded for. */
  keep(kind: Kind, owner: TenantId): void {
    this.#owners.set(this.nextName(kind), owner);
    this.#count.set(kind, (this.#count.get(kind) ?? 0) + 1);
  }

  names(kind: Kind): string[] {
    return [...this.#owners.keys()].filter((name) => name.startsWith(kind));
  }

  count(kind: Kind): number {
    return this.#count.get(kind) ?? 0;
  }

  /** Mostly something that exists or existed; else an unknown or a malformed id. */
  subject(kind: Kind): string {
    const roll = this.random.next();
    if (roll < 0.03) return `${kind}_${this.random.pick(MALFORMED_ENDS)}`;
    if (roll < 0.07 || this.count(kind) === 0) return `${kind}_nobodyknows${this.random.below(3)}`;
    return this.random.pick(this.names(kind));
  }

  ownerOf(name: string): TenantId {
    return this.#owners.get(name) ?? this.tenant();
  }

  tenant(): TenantId {
    return this.random.chance(0.75) ? ALPHA : BETA;
  }

  /** Mostly the owner of what a call is about. */
  caller(name: string): AnyTenant {
    if (this.random.chance(0.02)) return this.random.pick(['', undefined] as const);
    return this.random.chance(0.07) ? this.random.pick([ALPHA, BETA]) : this.ownerOf(name);
  }

  actor(): ActorRef | null {
    const tenant = this.tenant();
    const system: ActorRef = { kind: 'system', role: 'sys_a', tenantId: tenant };
    return this.random.pick([null, userOf(tenant), agentOf(tenant), system]);
  }

  /** A moment long ago that no other edge has: ties would be broken by ids, which differ. */
  spawnTime(): Date {
    const time = this.random.below(1_000_000_000_000);
    if (this.#spawnTimes.has(time)) return this.spawnTime();
    this.#spawnTimes.add(time);
    return new Date(time);
  }

  sessionChange(): Partial<Session> {
    const { random } = this;
    const change: Partial<Session> = {};
    if (random.chance(0.6)) change.status = random.pick(SESSION_STATUSES);
    if (random.chance(0.5)) change.ownerVersion = random.below(4);
    if (random.chance(0.3)) change.currentActor = this.actor();
    if (random.chance(0.3)) change.workspaceId = random.pick([null, 'wsp_1', 'wsp_2']);
    if (random.chance(0.2)) change.createdAt = new Date(random.below(1_000_000_000));
    if (random.chance(0.2)) {
      Object.assign(change, { previousActors: [userOf(ALPHA)].slice(random.below(2)) });
    }
    if (random.chance(0.03)) change.tenantId = random.pick([ALPHA, BETA]);
    if (random.chance(0.02)) change.status = 'asleep' as never;
    return change;
  }

  edgeChange(): Partial<SubSession> {
    const { random } = this;
    const change: Partial<SubSession> = {};
    if (random.chance(0.5)) change.status = random.pick(SUB_SESSION_STATUSES);
    if (random.chance(0.4)) change.spawnedAt = this.spawnTime();
    if (random.chance(0.3)) change.workspaceId = random.pick([null, 'wsp_1']);
    if (random.chance(0.3)) change.broadcastGroupId = random.pick(['group', undefined]);
    if (random.chance(0.3)) change.summaryRef = random.pick(['sum_1', undefined]);
    if (random.chance(0.3)) change.archiveRef = random.pick(['arc_1', undefined]);
    if (random.chance(0.3)) change.archivedAt = random.pick([new Date(5), undefined]);
    if (random.chance(0.3)) change.prevArtifactRef = random.pick([DELIVERABLE, undefined]);
    if (random.chance(0.02)) change.kind = 'clone' as never;
    return change;
  }
}

const DELIVERABLE: DeliverableRef = {
  id: 'del_1',
  kind: 'session_summary',
  sessionId: 'ses_x',
  summaryRef: 'sum_x',
  at: new Date(7),
};
