import { ConfigError, readConfig } from './config.ts';
import { resealInferenceSecrets } from './features/inference-secrets/index.ts';
import { systemClock } from './kernel/clock.ts';
import { createLog } from './kernel/log.ts';
import { Db } from './platform/database/db.ts';
import { lockDataDir, StartError, startEmbeddedPostgres } from './platform/database/embedded/index.ts';
import { migrateToLatest } from './platform/database/migrate.ts';
import { type Reseal, type Rotation, rotateKeys } from './platform/secrets/rotation.ts';

/** Changes the master key of a data directory whose server is stopped, or of the database that DATABASE_URL
 *  names. Prints one line and sets the exit status. */

/** One for each feature that keeps something encrypted. The database refuses to forget a key that a value
 *  still needs, so that one that is missing here shows at once. */
const RESEALERS: readonly Reseal[] = [resealInferenceSecrets];

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const lock = lockDataDir(config.dataDir);
  const postgres =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, log })
      : undefined;
  const db = new Db({ connection: postgres?.connection ?? { connectionString: config.databaseUrl }, log });
  try {
    await migrateToLatest(db.pool);
    const clock = systemClock();
    const { masterKeys: configured, dataDir } = config;
    const options = { db, configured, dataDir, timestamp: clock.timestamp() };
    report(await rotateKeys(options, RESEALERS), configured.length > 0);
  } finally {
    await db.close();
    await postgres?.stop();
    lock.release();
  }
}

function report({ values, keyId }: Rotation, configured: boolean): void {
  const rest = configured ? ' Take the older keys out of VIRGA_MASTER_KEY.' : '';
  process.stdout.write(`${values} secrets are now encrypted under the master key ${keyId}.${rest}\n`);
}

main().catch((error) => {
  const known = error instanceof ConfigError || error instanceof StartError;
  process.stderr.write(`${known ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = 1;
});
