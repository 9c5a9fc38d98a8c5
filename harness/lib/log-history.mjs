/**
 * Checks what was recorded of one session's log: whether every answer can have been given by a
 * log that appends, replacements, evictions, restorations and a deletion change one at a time,
 * each between its call and its answer.
 *
 * An event is `{ call, answer, sure, … }`: nanoseconds, and whether it is known to have happened.
 * `answer` of a call whose process was killed is when its end was noticed.
 * - `appends`: with `tokens`, the texts that it adds, and `keyed` where it may be repeated
 * - `replacements`: with `tokens`, which name it and stand nowhere else
 * - `evictions`, `restorations`, `deletions`
 * - `reads`: with `tokens`, all that was read; `tail` where it is the end of the log alone;
 *   `bundle` where it is what an archive keeps, which is never of an evicted session.
 */

/** What is wrong with a history, in words. */
export function problemsOf(history) {
  const problems = [];
  const known = indexed(history);
  const states = new Map();
  for (const read of history.reads) {
    const wrong = problemOf(read, known);
    if (wrong) problems.push(`${wrong}: ${described(read)}`);
    else if (read.tokens.length > 0 && !read.tail) push(states, latestOf(read, known)?.name, read);
  }
  for (const reads of states.values()) problems.push(...notOneLog(reads));
  for (const read of history.reads) {
    if (!read.tail || read.tokens.length === 0 || problems.length > 0) continue;
    const [name] = read.tokens.map((token) => known.replaced.get(token)?.name).filter(Boolean);
    const lists = name === undefined ? [...states.values()] : [states.get(name) ?? []];
    const whole = lists.flatMap((reads) => reads.at(-1) ?? []);
    // A state that only this read saw has nothing to be compared with.
    if (whole.length === 0 || whole.some(({ tokens }) => isPartOf(read.tokens, tokens))) continue;
    if (whole.some(({ tokens }) => read.tokens.every((token) => tokens.includes(token)))) {
      problems.push(`the end of a log in another order or with a gap: ${described(read)}`);
    }
  }
  return problems;
}

function indexed(history) {
  const [added, replaced] = [new Map(), new Map()];
  for (const append of history.appends) {
    for (const token of append.tokens) push(added, token, append);
  }
  for (const replacement of history.replacements) {
    replacement.name = replacement.tokens[0];
    for (const token of replacement.tokens) replaced.set(token, replacement);
  }
  return { ...history, added, replaced };
}

/** The replacement that what was read begins with. */
function latestOf(read, known) {
  return known.replaced.get(read.tokens[0]);
}

function problemOf(read, known) {
  const { tokens } = read;
  if (new Set(tokens).size < tokens.length) return 'a message is there twice';
  for (const token of tokens) {
    const from = known.replaced.get(token);
    const calls = from ? [from] : (known.added.get(token) ?? []);
    if (!calls.some(({ call }) => call < read.answer)) {
      return `${token} is there before anything asked for it`;
    }
  }
  if (read.tail) return undefined;
  return tokens.length === 0 ? whyNotEmpty(read, known) : whyNotThis(read, known);
}

/** What is wrong with an empty answer. */
function whyNotEmpty(read, known) {
  if (known.deletions.some(({ call }) => call < read.answer)) return undefined;
  if (!read.bundle && mayBeEvicted(read, known)) return undefined;
  const sure = [...known.appends, ...known.replacements];
  const there = sure.find((one) => one.sure && one.answer < read.call);
  return there && `nothing is there, and ${there.tokens[0]} was acknowledged`;
}

/** Whether a session may be evicted at some moment of a call. */
export function mayBeEvicted({ call, answer }, { evictions, restorations }) {
  return evictions.some(
    (eviction) =>
      eviction.call < answer &&
      !restorations.some((back) => back.sure && back.call > eviction.answer && back.answer < call),
  );
}

/** Whether a session is evicted at every moment of a call. */
function mustBeEvicted({ call, answer }, { evictions, restorations }) {
  return evictions.some(
    (eviction) =>
      eviction.sure &&
      eviction.answer < call &&
      !restorations.some((back) => back.answer > eviction.call && back.call < answer),
  );
}

function whyNotThis(read, known) {
  const { tokens } = read;
  const gone = known.deletions.find(({ sure, answer }) => sure && answer < read.call);
  if (gone) return 'a deleted session has messages';
  if (!read.anyTime && mustBeEvicted(read, known)) return 'an evicted session has messages';
  const latest = latestOf(read, known);
  const first = latest?.tokens ?? [];
  if (first.some((token, at) => tokens[at] !== token)) return 'a part of a replacement is there';
  const rest = tokens.slice(first.length);
  if (rest.some((token) => known.replaced.has(token))) return 'two replacements are there';
  return (
    whyNotLatest(read, latest, known) ??
    whyNotAdded(read, latest, new Map(rest.map((token, at) => [token, at])), known) ??
    whyNotInOrder(rest, known)
  );
}

/** What is wrong with a replacement, or with none, being the latest that was read. */
function whyNotLatest(read, latest, { replacements }) {
  const since = latest ? latest.answer : Number.NEGATIVE_INFINITY;
  const later = replacements.find(
    (other) => other !== latest && other.sure && other.call > since && other.answer < read.call,
  );
  return later && `${later.name} replaced this before`;
}

/** What is missing of what was added, or there though it was replaced. */
function whyNotAdded(read, latest, there, { appends }) {
  for (const append of appends) {
    const found = append.tokens.filter((token) => there.has(token)).length;
    if (found > 0 && found < append.tokens.length) {
      return `${append.tokens.length - found} of those appended with ${append.tokens[0]} are missing`;
    }
    const first = there.get(append.tokens[0]);
    if (found > 0 && append.tokens.some((token, n) => there.get(token) !== first + n)) {
      return `what was appended with ${append.tokens[0]} came apart`;
    }
    if (append.keyed && latest) continue; // what was replaced may be remembered, or not
    const missing = found === 0 && append.tokens.length > 0;
    const after = !latest || append.call > latest.answer;
    if (missing && append.sure && append.answer < read.call && after) {
      return `${append.tokens[0]} was acknowledged and is missing`;
    }
    if (found > 0 && latest && append.answer < latest.call) {
      return `${append.tokens[0]} was replaced and is there`;
    }
  }
  return undefined;
}

/** Messages that were acknowledged before others were asked for come before them. */
function whyNotInOrder(tokens, { added }) {
  let earliest = Number.POSITIVE_INFINITY;
  let of;
  for (const token of tokens.toReversed()) {
    const calls = added.get(token);
    if (calls.length > 1 || calls[0].keyed) continue;
    const [{ call, answer, sure }] = calls;
    if (call > earliest) return `${token} comes before ${of}, which was acknowledged before`;
    if (sure && answer < earliest) [earliest, of] = [answer, token];
  }
  return undefined;
}

/** Reads between two replacements are of one log that only grows. Sorts them by length. */
function notOneLog(reads) {
  const problems = [];
  reads.sort((a, b) => a.tokens.length - b.tokens.length);
  let latestCall = Number.NEGATIVE_INFINITY;
  let at;
  let before;
  for (const read of reads) {
    if (before && !before.tokens.every((token, n) => read.tokens[n] === token)) {
      problems.push(`no prefix of each other: ${described(before)} and ${described(read)}`);
    }
    before = read;
  }
  // From the shortest: none may be called after a longer one was answered.
  for (let n = 0; n < reads.length; ) {
    let end = n;
    while (end < reads.length && reads[end].tokens.length === reads[n].tokens.length) end += 1;
    for (const read of reads.slice(n, end)) {
      if (!read.anyTime && at && latestCall > read.answer) {
        problems.push(`a longer log before a shorter one: ${described(read)}, ${described(at)}`);
      }
    }
    for (const read of reads.slice(n, end)) {
      if (!read.anyTime && read.call > latestCall) [latestCall, at] = [read.call, read];
    }
    n = end;
  }
  return problems;
}

function isPartOf(part, whole) {
  const at = whole.indexOf(part[0]);
  return at >= 0 && part.every((token, n) => whole[at + n] === token);
}

function push(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function described({ what, tokens, call, answer }) {
  const some = tokens.length > 12 ? [...tokens.slice(0, 8), '…', ...tokens.slice(-4)] : tokens;
  return `${what} [${call}, ${answer}] ${tokens.length} messages: ${some.join(' ')}`;
}
