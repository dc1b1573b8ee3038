import { type LogFn, type Logger, pino } from 'pino';
import type { TestServer } from './server.ts';

function logTo(warned: (warning: string, err: unknown) => void): Logger {
  const log = pino({ level: 'silent' });
  log.warn = (({ err }: { err: unknown }, warning: string) => warned(warning, err)) as LogFn;
  return log;
}

/** What looks after region 2 of a server, which is simulated, with a provider that stands in for its own.
 *  @param warned gets to know of what fails; default: that is thrown */
export const keeping = <Provider>(
  { db, clock, cipher }: TestServer,
  provider: Provider,
  warned = (_warning: string, err: unknown): void => {
    throw err;
  },
) => ({
  db,
  clock,
  cipher,
  log: logTo(warned),
  regionIds: () => [2],
  owners: { serves: () => true },
  providerOf: () => provider,
});
