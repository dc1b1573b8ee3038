import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';

export type { Logger };

/** Structured logs on standard output. Values under these names are never written. */
const SECRET_PATHS = ['authorization', 'token', 'password', 'secret', 'data', 'private_key'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
);

export interface LogOptions {
  /** Whether warnings and errors that say this are of interest only to who looks closely. */
  readonly quiet?: (logged: readonly unknown[]) => boolean;
  /** Default: standard output. */
  readonly destination?: DestinationStream;
}

const WARN = 40;

export function createLog(level: string, { quiet, destination }: LogOptions = {}): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
    hooks: {
      logMethod(args, method, requested) {
        if (requested >= WARN && quiet?.(args)) this.debug(...args);
        else method.apply(this, args);
      },
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
