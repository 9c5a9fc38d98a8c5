import type { DeliverableRef, PrevArtifactNode, SessionId } from 'namzu-native';
import {
  ArtifactRefCycleError,
  InterventionDepthExceeded,
  InvalidArgumentError,
  validatePrevArtifactChain,
} from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../support/rejection.js';

function summaryOf(sessionId: SessionId): DeliverableRef {
  return {
    id: 'del_a',
    kind: 'session_summary',
    sessionId,
    summaryRef: 'sum_a',
    at: new Date('2026-01-02T03:04:05.678Z'),
  };
}

/** Sessions `ses_1`, `ses_2` … each spawned by `sub_1`, `sub_2` …, going on from the next. */
class Chain {
  asked: string[] = [];
  constructor(
    readonly length: number,
    readonly last: Partial<PrevArtifactNode> = {},
  ) {}
  async loadAncestor(sessionId: SessionId): Promise<PrevArtifactNode | null> {
    this.asked.push(sessionId);
    const n = Number(sessionId.slice('ses_'.length));
    if (n > this.length) return null;
    const node = { subSessionId: `sub_${n}` as const, sessionId };
    if (n === this.length) return { ...node, ...this.last };
    return { ...node, prevArtifactRef: summaryOf(`ses_${n + 1}`) };
  }
}

describe('a chain of interventions', () => {
  it('is answered nearest first', async () => {
    const chain = new Chain(3);
    expect(await validatePrevArtifactChain(chain, 'sub_new', summaryOf('ses_1'), 3)).toStrictEqual([
      'sub_1',
      'sub_2',
      'sub_3',
    ]);
    expect(chain.asked).toStrictEqual(['ses_1', 'ses_2', 'ses_3']);
  });

  it('ends where nothing links', async () => {
    const file: DeliverableRef = {
      id: 'del_f',
      kind: 'file',
      path: 'x',
      contentHash: 'y',
      sizeBytes: 1,
    };
    const chain = new Chain(2, { prevArtifactRef: file });
    expect(await validatePrevArtifactChain(chain, 'sub_new', file, 5)).toStrictEqual([]);
    expect(chain.asked).toStrictEqual([]);
    expect(await validatePrevArtifactChain(chain, 'sub_new', summaryOf('ses_1'), 5)).toStrictEqual([
      'sub_1',
      'sub_2',
    ]);
    const dangling = new Chain(1, { prevArtifactRef: summaryOf('ses_9') });
    expect(
      await validatePrevArtifactChain(dangling, 'sub_new', summaryOf('ses_1'), 5),
    ).toStrictEqual(['sub_1']);
  });

  it('is refused when it is too long', async () => {
    const chain = new Chain(4);
    for (const limit of [1, 2, 3]) {
      const refused = validatePrevArtifactChain(chain, 'sub_new', summaryOf('ses_1'), limit);
      const error = await rejectionOf(refused, InterventionDepthExceeded);
      expect(error.details).toStrictEqual({ subSessionId: 'sub_new', depth: limit + 1, limit });
    }
    for (const limit of [0, -1]) {
      const none = validatePrevArtifactChain(chain, 'sub_new', summaryOf('ses_1'), limit);
      const error = await rejectionOf(none, InterventionDepthExceeded);
      expect(error.details).toStrictEqual({ subSessionId: 'sub_new', depth: 1, limit });
    }
  });

  it('is refused when it leads back, before it is too long', async () => {
    const chain = new Chain(3, { prevArtifactRef: summaryOf('ses_2') });
    const refused = validatePrevArtifactChain(chain, 'sub_new', summaryOf('ses_1'), 3);
    const error = await rejectionOf(refused, ArtifactRefCycleError);
    expect(error.details).toStrictEqual({
      startSubSessionId: 'sub_new',
      cyclePath: ['sub_1', 'sub_2', 'sub_3', 'sub_2'],
    });
    const self = validatePrevArtifactChain(new Chain(2), 'sub_2', summaryOf('ses_1'), 9);
    expect((await rejectionOf(self, ArtifactRefCycleError)).details.cyclePath).toStrictEqual([
      'sub_1',
      'sub_2',
    ]);
  });

  it('names the links that were followed in a cycle, not the proposed child before them', async () => {
    const itself = () => new Chain(1, { prevArtifactRef: summaryOf('ses_1') });
    const path = async (proposed: 'sub_p' | 'sub_1') => {
      const refused = validatePrevArtifactChain(itself(), proposed, summaryOf('ses_1'), 9);
      const { details } = await rejectionOf(refused, ArtifactRefCycleError);
      expect(details.startSubSessionId).toBe(proposed);
      return details.cyclePath;
    };
    expect(await path('sub_p')).toStrictEqual(['sub_1', 'sub_1']);
    expect(await path('sub_1')).toStrictEqual(['sub_1']);
  });

  it('throws what its loader throws, and refuses what is no loader', async () => {
    const failure = Object.freeze({ odd: 1 });
    const loader = { loadAncestor: () => Promise.reject(failure) };
    const refused = validatePrevArtifactChain(loader, 'sub_new', summaryOf('ses_1'), 3);
    expect(await refused.catch((error: unknown) => error)).toBe(failure);
    const none = validatePrevArtifactChain(null as never, 'sub_new', summaryOf('ses_1'), 3);
    await rejectionOf(none, InvalidArgumentError);
    const odd = validatePrevArtifactChain(loader, 'sub_new', summaryOf('ses_1'), '3' as never);
    await rejectionOf(odd, InvalidArgumentError);
  });
});
