// The least that a machine must do: for a write the system's calls on as many bytes as our store's
// record has, by the quickest way that Node has (its synchronous calls, which skip the thread
// pool) and by the usual one (promises); for a read the same; for a call into native code, to
// another thread, or of an async function, one that does nothing.

import fs from 'node:fs';
import { access, appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { idleSession, message, TENANT } from '../cases/plant.mjs';
import { mintId } from './mint-id.mjs';

/** Room that `overwriteAndSync` has written and synced beforehand. */
const ROOM = 1 << 20;

/**
 * A line of a message log, as our store writes it.
 *
 * @param {string} sessionId
 */
export function messageLine(sessionId) {
  const id = 'msg_bench0000000';
  const at = new Date(1_750_000_000_000).toISOString();
  return `${JSON.stringify({ id, sessionId, tenantId: TENANT, message: message(0), at })}\n`;
}

const LINE = Buffer.from(messageLine('ses_bench0000000'));

const RECORD = Buffer.from(
  JSON.stringify(
    idleSession('ses_bench0000000', 'prj_bench0000000', new Date(1_750_000_000_000)),
    null,
    2,
  ),
);

/** Writes over room that is there, in turn, and then syncs it. */
function overwriting(directory, sync) {
  const file = fs.openSync(join(directory, 'room'), 'w');
  fs.writeSync(file, Buffer.alloc(ROOM));
  fs.fsyncSync(file);
  const places = Math.floor(ROOM / LINE.length);
  return {
    call: (i) => {
      fs.writeSync(file, LINE, 0, LINE.length, (i % places) * LINE.length);
      return sync(file);
    },
    close: () => fs.closeSync(file),
  };
}

/**
 * Each is given a directory of its own to write to.
 *
 * @type {Record<string, (directory: string) => import('../harness.mjs').Contender
 *   & { close?: () => void }>}
 */
export const bareCalls = {
  /** One open file grows: what a log that syncs costs at least. */
  appendAndSync(directory) {
    const file = fs.openSync(join(directory, 'growing'), 'a');
    return {
      call: () => {
        fs.writeSync(file, LINE);
        fs.fdatasyncSync(file);
      },
      close: () => fs.closeSync(file),
    };
  },

  /** One open file keeps its size, so that there is only data to sync: less is impossible. */
  overwriteAndSync(directory) {
    return overwriting(directory, fs.fdatasyncSync);
  },

  /** The same with the sync on another thread, as the event loop may not wait for a disk. */
  overwriteAndSyncLater(directory) {
    return overwriting(directory, promisify(fs.fdatasync));
  },

  appendFile(directory) {
    const path = join(directory, 'log');
    return { call: () => fs.appendFileSync(path, LINE) };
  },

  appendLater(directory) {
    const path = join(directory, 'log');
    return { call: () => appendFile(path, LINE) };
  },

  createFile(directory) {
    return {
      call: (i) => {
        const folder = join(directory, `${i}`);
        fs.mkdirSync(folder);
        fs.writeFileSync(join(folder, 'record.tmp'), RECORD);
        fs.renameSync(join(folder, 'record.tmp'), join(folder, 'record'));
      },
    };
  },

  createLater(directory) {
    return {
      call: async (i) => {
        const folder = join(directory, `p${i}`);
        await mkdir(folder);
        await writeFile(join(folder, 'record.tmp'), RECORD);
        await rename(join(folder, 'record.tmp'), join(folder, 'record'));
      },
    };
  },

  /** An async function that does nothing, awaited: a promise. */
  emptyCall() {
    const empty = async () => {};
    return { call: () => empty() };
  },

  /** Node's own trip to another thread and back. */
  accessLater(directory) {
    return { call: () => access(directory) };
  },

  readFile(directory) {
    const path = recordIn(directory);
    return { call: () => fs.readFileSync(path, 'utf8') };
  },

  readLater(directory) {
    const path = recordIn(directory);
    return { call: () => readFile(path, 'utf8') };
  },

  parse() {
    const text = RECORD.toString();
    return { call: () => JSON.parse(text) };
  },

  /** A call with two texts that finds nothing, as short as our core has one. */
  nativeCall() {
    const folder = fileURLToPath(new URL('../../native/', import.meta.url));
    const addon = fs.readdirSync(folder).find((name) => name.endsWith('.node'));
    const native = createRequire(import.meta.url)(join(folder, addon));
    return { call: () => native.parseWorktreeList('ses_bench0000000', TENANT) };
  },

  mintId() {
    return { call: () => mintId('ses') };
  },
};

function recordIn(directory) {
  const path = join(directory, 'a-record');
  fs.writeFileSync(path, RECORD);
  return path;
}
