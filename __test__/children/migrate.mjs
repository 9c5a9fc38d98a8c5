// Migrates a root and prints what came of it, after a line that says that it starts.
import { DefaultFilesystemMigrator, FilesystemMigrationError } from 'namzu-native';

const [rootDir] = process.argv.slice(2);
process.stdout.write('start\n');
const answer = await new DefaultFilesystemMigrator().migrate(rootDir).then(
  ({ kind, migratedThreads }) => ({ kind, threads: migratedThreads.length }),
  (error) => {
    if (!(error instanceof FilesystemMigrationError)) return { error: String(error) };
    const { op, path, cause } = error.details;
    return { op, path, code: cause.code };
  },
);
process.stdout.write(JSON.stringify(answer));
