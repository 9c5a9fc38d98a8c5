/** Who asks. A real service would look keys up, and keep only their hashes. */

const TENANTS = new Map([
  ['key-of-acme', 'tnt_acme'],
  ['key-of-globex', 'tnt_globex'],
]);

/** The tenant of a request, or nothing when it shows no key that is known. */
export function tenantOf(request) {
  const [, key] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  return TENANTS.get(key);
}
