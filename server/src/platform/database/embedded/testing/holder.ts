/**
 * Stands for a server process in tests: locks the data directory in argv[2] as the real one does, says so on
 * standard output, and ends on SIGTERM. Bundled, so that plain Node can run it as any user.
 */
import { lockDataDir, StartError, startEmbeddedPostgres } from '../index.ts';

const dataDir = process.argv[2] ?? '';
const withPostgres = process.argv[3] !== 'lock-only';
const say = (event: string, fields: object) =>
  process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
const log = {
  info: (fields: object, message: string) => say('log', { level: 'info', message, ...fields }),
  warn: (fields: object, message: string) => say('log', { level: 'warn', message, ...fields }),
  error: (fields: object, message: string) => say('log', { level: 'error', message, ...fields }),
};

try {
  const lock = lockDataDir(dataDir);
  const postgres = withPostgres ? await startEmbeddedPostgres({ dataDir, log, durable: false }) : undefined;
  const ended = new Promise((resolve) => process.once('SIGTERM', resolve));
  const alive = setInterval(() => {}, 1_000);
  say('up', { url: postgres?.url, pid: postgres?.pid, adopted: postgres?.adopted });
  await ended;
  clearInterval(alive);
  await postgres?.stop();
  lock.release();
  say('down', {});
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  say('refused', { message: error.message });
  process.exitCode = 1;
}
