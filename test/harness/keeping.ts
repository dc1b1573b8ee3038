import { type Logger, pino } from 'pino';
import type { TestServer } from './server.ts';

/** Would warn of what failed. */
function throwing(): Logger {
  const log = pino({ level: 'silent' });
  log.warn = ({ err }: { err: unknown }) => {
    throw err;
  };
  return log;
}

/** What looks after region 2 of a server, which is simulated, with a provider that stands in for its own. */
export const keeping = <Provider>({ db, clock, cipher }: TestServer, provider: Provider) => ({
  ...{ db, clock, cipher },
  log: throwing(),
  regionIds: () => [2],
  owners: { serves: () => true },
  providerOf: () => provider,
});
