import type { LinkageView, SessionId, SubSession, SubSessionId } from 'namzu-native';
import { AncestryCycleError, getAncestry, getChildren, orderChildren } from 'namzu-native';
import { describe, expect, it } from 'vitest';

function edge(
  id: SubSessionId,
  parentSessionId: SessionId,
  childSessionId: SessionId,
  spawnedAtMs = 0,
): SubSession {
  return {
    id,
    parentSessionId,
    childSessionId,
    kind: 'agent_spawn',
    status: 'pending',
    spawnedBy: { kind: 'user', userId: 'usr_x', tenantId: 'tnt_x' },
    spawnedAt: new Date(spawnedAtMs),
    failureMode: 'delegate',
    completionMode: 'summary_ref',
    workspaceId: null,
    updatedAt: new Date(0),
  };
}

function viewOf(edges: readonly SubSession[]): LinkageView {
  return {
    findChildSubSessions: (parent) => edges.filter((one) => one.parentSessionId === parent),
    findParentSubSession: (child) => edges.find((one) => one.childSessionId === child) ?? null,
  };
}

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('expected a throw');
}

describe('getChildren over a view', () => {
  it('answers the edges as the view answers them, unsorted', () => {
    const [late, early] = [edge('sub_b', 'ses_p', 'ses_1', 9), edge('sub_a', 'ses_p', 'ses_2', 1)];
    const other = edge('sub_c', 'ses_q', 'ses_3');
    const children = getChildren(viewOf([late, other, early]), 'ses_p');
    expect(children).toStrictEqual([late, early]);
    expect(children[0]).toBe(late);
  });

  it('answers none for a session that the view does not know', () => {
    expect(getChildren(viewOf([]), 'ses_x')).toStrictEqual([]);
  });
});

describe('getAncestry over a view', () => {
  const line = viewOf([
    edge('sub_1', 'ses_root', 'ses_middle'),
    edge('sub_2', 'ses_middle', 'ses_leaf'),
  ]);

  it('answers root first and self last', () => {
    expect(getAncestry(line, 'ses_leaf')).toStrictEqual(['ses_root', 'ses_middle', 'ses_leaf']);
    expect(getAncestry(line, 'ses_middle')).toStrictEqual(['ses_root', 'ses_middle']);
    expect(getAncestry(line, 'ses_root')).toStrictEqual(['ses_root']);
  });

  it('answers an id that the view does not know alone', () => {
    expect(getAncestry(line, 'ses_stranger')).toStrictEqual(['ses_stranger']);
  });

  it('walks thousands of levels', () => {
    const depth = 20_000;
    const parents = new Map<string, SubSession>();
    for (let i = 1; i < depth; i += 1) {
      parents.set(`ses_${i}`, edge(`sub_${i}`, `ses_${i - 1}`, `ses_${i}`));
    }
    const view: LinkageView = {
      findChildSubSessions: () => [],
      findParentSubSession: (child) => parents.get(child) ?? null,
    };
    const ancestry = getAncestry(view, `ses_${depth - 1}`);
    expect(ancestry).toHaveLength(depth);
    expect(ancestry[0]).toBe('ses_0');
  });

  it('throws on a cycle, with the path from self upward', () => {
    const view = viewOf([
      edge('sub_1', 'ses_a', 'ses_b'),
      edge('sub_2', 'ses_b', 'ses_a'),
      edge('sub_3', 'ses_a', 'ses_below'),
    ]);
    const error = thrownBy(() => getAncestry(view, 'ses_below'));
    expect(error).toBeInstanceOf(AncestryCycleError);
    expect((error as AncestryCycleError).details).toStrictEqual({
      sessionId: 'ses_below',
      cyclePath: ['ses_below', 'ses_a', 'ses_b', 'ses_a'],
    });
  });

  it('throws on a session that is its own parent', () => {
    const view = viewOf([edge('sub_1', 'ses_a', 'ses_a')]);
    const error = thrownBy(() => getAncestry(view, 'ses_a')) as AncestryCycleError;
    expect(error.details).toStrictEqual({ sessionId: 'ses_a', cyclePath: ['ses_a', 'ses_a'] });
  });

  it('lets an exception of the view through untouched', () => {
    const failure = new Error('the view is broken');
    const view: LinkageView = {
      findChildSubSessions: () => {
        throw failure;
      },
      findParentSubSession: () => {
        throw failure;
      },
    };
    expect(thrownBy(() => getAncestry(view, 'ses_a'))).toBe(failure);
    expect(thrownBy(() => getChildren(view, 'ses_a'))).toBe(failure);
  });
});

describe('orderChildren', () => {
  const children = [
    edge('sub_c', 'ses_p', 'ses_1', 5),
    edge('sub_a', 'ses_p', 'ses_2', 7),
    edge('sub_b', 'ses_p', 'ses_3', 5),
    edge('sub_B', 'ses_p', 'ses_4', 5),
    edge('sub_d', 'ses_p', 'ses_5', -1),
  ];

  it('orders by spawnedAt, then by id', () => {
    const ids = orderChildren(children).map(({ id }) => id);
    expect(ids).toStrictEqual(['sub_d', 'sub_B', 'sub_b', 'sub_c', 'sub_a']);
  });

  it('answers a new array and leaves its argument alone', () => {
    const argument = Object.freeze([...children]);
    const ordered = orderChildren(argument);
    expect(ordered).not.toBe(argument);
    expect(argument).toStrictEqual(children);
    expect(ordered[0]).toBe(children[4]);
    expect(orderChildren([])).toStrictEqual([]);
  });
});
