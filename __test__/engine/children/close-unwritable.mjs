// Reads from a root that it may not write to, closes the store and prints how that went.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskSessionStore } from 'namzu-native';

const dir = mkdtempSync(join(tmpdir(), 'namzu-native-'));
const rootDir = join(dir, 'root');
mkdirSync(join(rootDir, 'projects', 'prj_x'), { recursive: true });
chmodSync(rootDir, 0o555);
try {
  const store = new DiskSessionStore({ rootDir });
  const read = await store.getSession('ses_x', 'tnt_alpha');
  const closed = await store.close().then(
    () => true,
    (error) => `${error.name}: ${error.message}`,
  );
  console.log(JSON.stringify({ read, closed }));
} finally {
  chmodSync(rootDir, 0o755);
  rmSync(dir, { recursive: true });
}
