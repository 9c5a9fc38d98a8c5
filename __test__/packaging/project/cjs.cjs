// Reads what the ES module wrote, in another process and as CommonJS.
const { DiskSessionStore } = require('namzu-native');

const [, , rootDir, session] = process.argv;
new DiskSessionStore({ rootDir })
  .loadMessages(session, 'tnt_a')
  .then((messages) => console.log(JSON.stringify(messages.map(({ content }) => content))));
