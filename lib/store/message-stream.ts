/** Messages that are read as they are asked for. */

import { publicError } from '../errors/from-native';
import { parseSessionMessages } from '../json';
import type { SessionMessage } from '../message';
import type { NativeMessageStream } from '../native';

/**
 * An iterator rather than a generator: one that has the next message at hand
 * answers it without the several ticks that a generator takes.
 *
 * While the messages of one chunk are handed out, the next chunk is being read.
 */
export class MessageStream implements AsyncIterableIterator<SessionMessage> {
  readonly #open: () => NativeMessageStream;
  #native: NativeMessageStream | undefined;
  #chunk: readonly SessionMessage[] = [];
  #at = 0;
  #ahead: Promise<string | null> | undefined;
  #ended = false;
  /** Calls of `next` take their turns. */
  #turn: Promise<unknown> | undefined;

  constructor(open: () => NativeMessageStream) {
    this.#open = open;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<SessionMessage, undefined>> {
    if (this.#turn === undefined && this.#at < this.#chunk.length) {
      return Promise.resolve({ value: this.#take(), done: false });
    }
    const earlier = this.#turn;
    let leave = () => {};
    const turn = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#turn = turn;
    return this.#readAfter(earlier, () => {
      if (this.#turn === turn) this.#turn = undefined;
      leave();
    });
  }

  async return(): Promise<IteratorResult<SessionMessage, undefined>> {
    this.#end();
    return { value: undefined, done: true };
  }

  /** Nothing else may react to its promise: the stack of an error would not lead to the caller. */
  async #readAfter(
    earlier: Promise<unknown> | undefined,
    leave: () => void,
  ): Promise<IteratorResult<SessionMessage, undefined>> {
    try {
      // Without a wait where there is none: what was begun before the store closes is finished.
      if (earlier !== undefined) await earlier;
      return await this.#read();
    } finally {
      leave();
    }
  }

  async #read(): Promise<IteratorResult<SessionMessage, undefined>> {
    try {
      while (this.#at >= this.#chunk.length) {
        if (this.#ended) return { value: undefined, done: true };
        this.#native ??= this.#open();
        const text = await (this.#ahead ?? this.#native.next());
        this.#ahead = undefined;
        if (this.#ended) continue;
        if (text === null) {
          this.#end();
          continue;
        }
        this.#ahead = readAhead(this.#native);
        this.#chunk = parseSessionMessages([text]);
        this.#at = 0;
      }
      return { value: this.#take(), done: false };
    } catch (error) {
      this.#end();
      throw publicError(error);
    }
  }

  #take(): SessionMessage {
    const message = this.#chunk[this.#at] as SessionMessage;
    this.#at += 1;
    return message;
  }

  #end(): void {
    this.#ended = true;
    this.#native = undefined;
    this.#ahead = undefined;
    this.#chunk = [];
    this.#at = 0;
  }
}

/** The next call gets its failure, one thrown at the call too; there may be no next call. */
function readAhead(native: NativeMessageStream): Promise<string | null> {
  const ahead = (async () => native.next())();
  ahead.catch(() => {});
  return ahead;
}
