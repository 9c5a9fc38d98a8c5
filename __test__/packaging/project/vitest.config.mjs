export default { test: { include: ['installed.ts'] } };
