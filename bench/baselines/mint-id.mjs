import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

// Bytes from 252 up would make the first four characters more likely than the rest.
const UNBIASED_BYTES = 252;

/**
 * An id of the contract's shape: the prefix and 12 characters of `0-9a-z`, uniformly drawn.
 *
 * @template {string} P
 * @param {P} prefix for example `ses`
 * @returns {`${P}_${string}`}
 */
export function mintId(prefix) {
  let characters = '';
  while (characters.length < 12) {
    const bytes = randomBytes(16);
    // By its index: an iterator over a Buffer takes twice as long.
    for (let i = 0; i < bytes.length && characters.length < 12; i += 1) {
      const byte = bytes[i];
      if (byte < UNBIASED_BYTES) characters += ALPHABET[byte % 36];
    }
  }
  return `${prefix}_${characters}`;
}
