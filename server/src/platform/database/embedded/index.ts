/** The PostgreSQL that comes with Virga, and the lock on the data directory that it lives in. */

export { SUPERUSER } from './cluster.ts';
export { prepareDataDir } from './data-dir.ts';
export {
  currentInstances,
  isTemporaryDataDir,
  newTemporaryDataDir,
  RESTORING_MARK,
  resolveDataDir,
  TEMPORARY,
  temporaryDataDirs,
} from './instance.mjs';
export { type ClusterLocation, findLocation } from './location.ts';
export { acquireLock, type DataDirLock, lockDataDir, shareDataDir } from './lock.ts';
export { purgeDataDir } from './purge.mjs';
export {
  type EmbeddedLog,
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from './start.ts';
export { StartError } from './start-error.ts';
