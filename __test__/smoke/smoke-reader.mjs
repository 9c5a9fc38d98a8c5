// Prints the messages of a session. Usage: smoke-reader.mjs <root> <session> <tenant>
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [rootDir, session, tenant] = process.argv.slice(2);
const messages = await new DiskSessionStore({ rootDir }).loadMessages(session, tenant);
console.log(JSON.stringify(messages));
