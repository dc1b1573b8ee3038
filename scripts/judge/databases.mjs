// @ts-check

/** What is tried with each driver. */
export const POOLED =
  'a pooler in transaction mode: prepared statements of 40 clients, parameters of sessions that take effect or are refused';

/**
 * As drivers made upon libpq, and others, read it.
 * @param {import('./tool.d.ts').Context} context
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function databaseEnv({ server, env }) {
  const { host, port, user, password, database } = await server.pooled();
  return {
    ...env,
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: database,
    PGSSLMODE: 'require',
  };
}
