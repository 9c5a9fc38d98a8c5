// What is said is on its way before anything else happens, though the process is killed right after.
import { writeSync } from 'node:fs';

/** Prints a text. Standard output may be a pipe that does not block, and full. */
export function say(text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
