// Takes a migration lock and says so; has it until its input ends.
import { acquireMigrationLock } from 'namzu-native';

await acquireMigrationLock(process.argv[2]);
process.stdout.write('held');
if (process.argv[3] === 'stay') {
  process.stdin.resume();
  process.stdin.on('end', () => process.exit());
}
