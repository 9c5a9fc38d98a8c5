/** Ends of ids that must never become a path component. */
const BAD_ENDS = [
  '',
  '.',
  '..',
  '/',
  '../../../escape',
  'a/b',
  'a\\b',
  'a\0',
  'a b',
  'a.json',
  'ä',
  '%2e%2e',
  'a:b',
  'a\n',
  '\ud800',
  'x'.repeat(125),
] as const;

/** Texts that are no ids of the given prefix. */
export function malformedIds<P extends string>(prefix: P): `${P}${string}`[] {
  const other = prefix === 'ses_' ? 'sub_' : 'ses_';
  const wrongStarts = [
    '',
    'x',
    `${other}abc`,
    prefix.toUpperCase().concat('abc'),
    prefix.slice(0, -1).concat('abc'),
    ` ${prefix}abc`,
    `../${prefix}abc`,
    '/etc',
    '__proto__',
    'constructor',
  ];
  return [...wrongStarts, ...BAD_ENDS.map((end) => `${prefix}${end}`)] as `${P}${string}`[];
}

/** Unusual ids of the given prefix that are nevertheless well formed. */
export function oddIds<P extends string>(prefix: P): `${P}${string}`[] {
  return [`${prefix}A`, `${prefix}-`, `${prefix}_`, `${prefix}-_Z9`, `${prefix}${'x'.repeat(124)}`];
}
