/** The PostgreSQL that comes with Virga, and the lock on the data directory that it lives in. */
export { resolveDataDir } from './instance.mjs';
export { type DataDirLock, lockDataDir, shareDataDir } from './lock.ts';
export {
  type EmbeddedLog,
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from './start.ts';
export { StartError } from './start-error.ts';
