import type { Logger } from '../kernel/log.ts';
import { print } from '../kernel/log-output.ts';
import { StartError } from '../platform/database/embedded/index.ts';
import { isDatabaseLost } from '../platform/database/outage.ts';
import { type Config, ConfigError } from './config.ts';

/** One clear line for what a person can mend; everything else with its trace. */
export function explain(error: unknown, config: Config, log: Logger): void {
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof ConfigError || error instanceof StartError) print('error', error.message);
  else if (code === 'EADDRINUSE') {
    print('error', `Port ${config.port} of ${config.host} is held by another program: stop it, or set PORT`);
  } else if (code === 'EACCES')
    print('error', `Port ${config.port} may not be opened by this user: set PORT to 1024 or more`);
  else if (code === 'EADDRNOTAVAIL') print('error', `HOST=${config.host} is not an address of this machine`);
  else if (config.databaseUrl && isDatabaseLost(error) && code !== 'ENOENT') {
    print(
      'error',
      `DATABASE_URL names a PostgreSQL that cannot be reached${wordsOf(error)}; start it, or correct DATABASE_URL`,
    );
  } else log.fatal({ err: error }, 'Virga cannot start');
}

/** Of several addresses that were tried, Node says nothing as a whole. */
function wordsOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error && first.message !== '' ? `: ${first.message}` : '';
}
