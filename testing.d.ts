/** Forgets which ids with a former prefix this process has warned of. */
export declare function __resetSeenLegacyForTests(): void;
