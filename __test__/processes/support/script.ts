import { fileURLToPath } from 'node:url';

const children = new URL('../children/', import.meta.url);

/** Absolute path of a script in `__test__/processes/children`. */
export function script(name: string): string {
  return fileURLToPath(new URL(name, children));
}
