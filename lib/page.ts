/** Parts of lists. */

/** Which part of a list is wanted. */
export interface PageOptions {
  /** The most records that the page may have; 100 when absent. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of an earlier page: the page starts after it. */
  readonly cursor?: string | undefined;
}

/** A part of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page starts. Absent: there is none. */
  readonly nextCursor?: string | undefined;
  /**
   * Records that belong to the list and cannot be read. Absent: all can. The pages of one list
   * name each once, on the first page where that is possible; if other records become damaged
   * meanwhile, a later page names all again.
   */
  readonly damaged?: readonly DamagedRecord[];
}

/** A record of the tenant's that cannot be read. */
export interface DamagedRecord {
  /** The id that it is kept under. */
  readonly id: string;
  /** Its file, relative to the store's `rootDir`, with `/` between components. */
  readonly path: string;
  /** What is wrong with it. */
  readonly reason: string;
}
