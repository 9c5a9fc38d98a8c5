// Verifies a root and prints the findings.
// Usage: verify.mjs <root>
import process from 'node:process';
import { verify } from 'namzu-native';

console.log(JSON.stringify(await verify(process.argv[2])));
