/** The environment without what vitest and npm tell the processes that they start. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|vitest|node_env$|node_options$|test$|init_cwd$)/i.test(name),
    ),
  );
}
