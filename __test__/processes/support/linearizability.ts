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

interface Event {
  readonly call: boolean;
  readonly id: number;
  previous: Event | null;
  next: Event | null;
}

/**
 * Whether the steps can have happened one at a time, each between its call and its answer, on a
 * register that held `initial`. One that was never answered happened at any time after its call,
 * or not at all.
 *
 * Wing and Gong's search with Lowe's memory of configurations: it takes steps in any order that the
 * times allow, goes back where it is stuck, and never tries the same set of steps with the same
 * value of the register again.
 */
export function isLinearizable(history: readonly Recorded[], initial: number): boolean {
  const head: Event = { call: false, id: -1, previous: null, next: null };
  const events = link(head, history);
  const wanted = history.filter(({ answered }) => answered !== null).length;

  const tried = new Set<string>();
  const taken = new Uint8Array(history.length);
  const path: { id: number; held: number }[] = [];
  let answered = 0;
  let held = initial;
  let at = head.next;
  while (answered < wanted) {
    if (at?.call) {
      const { step, answered: time } = history[at.id] as Recorded;
      const then = after(step, held, time !== null);
      taken[at.id] = 1;
      const configuration = `${then} ${key(taken)}`;
      if (then !== null && !tried.has(configuration)) {
        tried.add(configuration);
        path.push({ id: at.id, held });
        held = then;
        if (time !== null) answered += 1;
        for (const event of events[at.id] ?? []) unlink(event);
        at = head.next;
      } else {
        taken[at.id] = 0;
        at = at.next;
      }
      continue;
    }
    // An answer, or the end: what was called by now must have happened, and did not.
    const last = path.pop();
    if (last === undefined) return false;
    held = last.held;
    taken[last.id] = 0;
    const [call, answer] = events[last.id] ?? [];
    if (answer) {
      answered -= 1;
      relink(answer);
    }
    if (call) relink(call);
    at = call?.next ?? null;
  }
  return true;
}

/** Puts calls and answers into a list by their time; answers them by the number of their step. */
function link(head: Event, history: readonly Recorded[]): Event[][] {
  const events: Event[][] = history.map(() => []);
  const times = history.flatMap(({ called, answered }, id) => [
    { call: true, id, time: called },
    ...(answered === null ? [] : [{ call: false, id, time: answered }]),
  ]);
  // At the same time calls come first: then either order is allowed.
  times.sort((a, b) => a.time - b.time || Number(b.call) - Number(a.call));
  let previous = head;
  for (const { call, id } of times) {
    const event: Event = { call, id, previous, next: null };
    previous.next = event;
    previous = event;
    events[id]?.push(event);
  }
  return events;
}

function unlink({ previous, next }: Event): void {
  if (previous) previous.next = next;
  if (next) next.previous = previous;
}

function relink(event: Event): void {
  if (event.previous) event.previous.next = event;
  if (event.next) event.next.previous = event;
}

function key(taken: Uint8Array): string {
  return Buffer.from(taken).toString('latin1');
}
