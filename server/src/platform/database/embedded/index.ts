/** The PostgreSQL that comes with Virga, and the lock on the data directory that it lives in. */
export {
  currentInstances,
  isTemporaryDataDir,
  newTemporaryDataDir,
  resolveDataDir,
  TEMPORARY,
  temporaryDataDirs,
} from './instance.mjs';
export { type DataDirLock, lockDataDir, shareDataDir } from './lock.ts';
export { purgeDataDir } from './purge.mjs';
export {
  type EmbeddedLog,
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from './start.ts';
export { StartError } from './start-error.ts';
