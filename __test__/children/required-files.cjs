// Answers which files `require` loads for the package.
require('../../dist/index.js');
const files = Object.keys(require.cache).filter((file) => file !== __filename);
console.log(JSON.stringify(files));
