import { type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger };

/** Structured logs on standard output. Values under these names are never written. */
const SECRET_PATHS = ['authorization', 'token', 'password', 'secret', 'data', 'private_key'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
);

export function createLog(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
  });
}
