// A process that does nothing; prints what memory it has.

import process from 'node:process';

console.log(JSON.stringify({ bytes: process.memoryUsage.rss() }));
