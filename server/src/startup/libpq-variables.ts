import type { Config } from './config.ts';

/** Takes the variables of PostgreSQL's clients (`PGSSLMODE`, `PGOPTIONS`, …) out of the environment of this process,
 *  where the driver would follow them: they are about the server that somebody works with in this shell. Where
 *  DATABASE_URL names that server, they complete it. */
export function forgetLibpqVariables(env: NodeJS.ProcessEnv, { databaseUrl }: Config): void {
  if (databaseUrl !== undefined) return;
  for (const name of Object.keys(env)) if (/^PG[A-Z]/.test(name)) delete env[name];
}
