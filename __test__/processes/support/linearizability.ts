/** One call on a register, with what came of it. */
export type Step =
  /** `seen` is what was read. */
  | { readonly do: 'read'; readonly seen: number }
  | { readonly do: 'write'; readonly value: number }
  /** `seen` is what was found where it was not `expected`; `null` where it was. */
  | {
      readonly do: 'compare and set';
      readonly expected: number;
      readonly value: number;
      readonly seen: number | null;
    };

/** A step, and when it was called and answered; `null` where it never was. */
export interface Recorded {
  readonly step: Step;
  readonly called: number;
  readonly answered: number | null;
}

/** What the register holds after a step, or `null` where the step cannot happen. */
function after(step: Step, held: number, answered: boolean): number | null {
  switch (step.do) {
    case 'read':
      return !answered || step.seen === held ? held : null;
    case 'write':
      return step.value;
    case 'compare and set':
      if (held === step.expected) return !answered || step.seen === null ? step.value : null;
      return !answered || step.seen === held ? held : null;
  }
}

/** What the register may hold, and which of the open steps happened already. */
interface State {
  readonly held: number;
  readonly taken: bigint;
}

/** A step that was called and not answered yet, with its bit in {@link State.taken}. */
interface Open {
  readonly step: Step;
  readonly answered: boolean;
  readonly bit: bigint;
}

/**
 * Whether the steps can have happened one at a time, each between its call and its answer, on a
 * register that held `initial`. One that was never answered happened at any time after its call,
 * or not at all.
 *
 * Lowe's just-in-time search: it goes through calls and answers by their time with all states that
 * are possible by then. A step is taken at the latest at its answer, together with others that are
 * open and have to come before it; what only looks is taken as soon as it sees what it saw.
 */
export function isLinearizable(all: readonly Recorded[], initial: number): boolean {
  const history = withoutTraceless(all);
  const open = new Map<number, Open>();
  let states: State[] = [{ held: initial, taken: 0n }];
  for (const { call, id } of inOrder(history)) {
    if (call) {
      const { step, answered } = history[id] as Recorded;
      open.set(id, { step, answered: answered !== null, bit: freeBit(open) });
      states = states.map((state) => look(state, open));
    } else {
      const { bit } = open.get(id) as Open;
      states = until(states, bit, open).map(({ held, taken }) => ({ held, taken: taken & ~bit }));
      if (states.length === 0) return false;
      open.delete(id);
    }
  }
  return true;
}

/**
 * The steps but those that were never answered and left nothing that an answer tells of: where
 * they can have happened, they need not. Of many processes that are killed there are so many that
 * every set of them would be tried.
 */
function withoutTraceless(history: readonly Recorded[]): readonly Recorded[] {
  const told = new Set<number>();
  for (const { step, answered } of history) {
    if (answered === null || step.do === 'write') continue;
    told.add(step.seen ?? (step as { expected: number }).expected);
  }
  // What one that was not answered found, another may have left.
  for (let size = -1; size !== told.size; ) {
    size = told.size;
    for (const { step, answered } of history) {
      if (answered !== null || step.do !== 'compare and set') continue;
      if (told.has(step.value)) told.add(step.expected);
    }
  }
  return history.filter(
    ({ step, answered }) => answered !== null || (step.do !== 'read' && told.has(step.value)),
  );
}

/** The states in which a step is taken, after as few others as need to come before it. */
function until(states: readonly State[], bit: bigint, open: Map<number, Open>): State[] {
  const reached: State[] = [];
  const seen = new Set<string>();
  const waiting = [...states];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    const name = `${state.held} ${state.taken}`;
    if (seen.has(name)) continue;
    seen.add(name);
    if (state.taken & bit) {
      reached.push(state);
      continue;
    }
    for (const step of open.values()) {
      if (state.taken & step.bit) continue;
      const held = after(step.step, state.held, step.answered);
      // What need not happen and changes nothing is left out.
      if (held === null || (held === state.held && !step.answered)) continue;
      waiting.push(look({ held, taken: state.taken | step.bit }, open));
    }
  }
  return reached;
}

/** Takes every step that only looks and sees what is there: earlier is never worse. */
function look({ held, taken }: State, open: Map<number, Open>): State {
  let all = taken;
  for (const { step, answered, bit } of open.values()) {
    if (answered && changesNothing(step) && after(step, held, true) !== null) all |= bit;
  }
  return { held, taken: all };
}

function changesNothing(step: Step): boolean {
  if (step.do === 'compare and set') return step.seen !== null || step.expected === step.value;
  return step.do === 'read';
}

function freeBit(open: Map<number, Open>): bigint {
  let used = 0n;
  for (const { bit } of open.values()) used |= bit;
  let bit = 1n;
  while (used & bit) bit <<= 1n;
  return bit;
}

/** Calls and answers by their time; at the same time calls come first: then either order is allowed. */
function inOrder(history: readonly Recorded[]): { call: boolean; id: number; time: number }[] {
  const events = history.flatMap(({ called, answered }, id) => [
    { call: true, id, time: called },
    ...(answered === null ? [] : [{ call: false, id, time: answered }]),
  ]);
  return events.sort((a, b) => a.time - b.time || Number(b.call) - Number(a.call));
}
