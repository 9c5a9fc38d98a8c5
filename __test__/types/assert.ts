/** Refuses to compile for anything but `true`. */
export type Expect<T extends true> = T;

/** Whether two types are the same, `readonly` and `?` included. */
export type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The keys of the fields that may not be assigned. */
export type ReadonlyKeys<T> = {
  [K in keyof T]-?: Equal<Pick<T, K>, Readonly<Pick<T, K>>> extends true ? K : never;
}[keyof T];

/** The keys of the fields that may be absent. */
export type OptionalKeys<T> = {
  [K in keyof T]-?: object extends Pick<T, K> ? K : never;
}[keyof T];
