import { features } from './app.ts';
import { Sessions } from './features/iam/index.ts';
import { SharedClock } from './kernel/clock.ts';
import { randomIds } from './kernel/ids.ts';
import { createLog } from './kernel/log.ts';
import { ChangeWatcher } from './platform/changes/changes.ts';
import { Db } from './platform/database/db.ts';
import { lockDataDir, StartError, startEmbeddedPostgres } from './platform/database/embedded/index.ts';
import { migrateToLatest } from './platform/database/migrate.ts';
import { ClockWatch } from './platform/nodes/clock-watch.ts';
import { RegionOwners } from './platform/owners/region-owners.ts';
import { Cipher } from './platform/secrets/cipher.ts';
import { newKey } from './platform/secrets/key-file.ts';
import { type Rotation, rotateKeys } from './platform/secrets/rotation.ts';
import { TaskWatcher } from './platform/tasks/watch.ts';
import { RegionProviders } from './regions/region-providers.ts';
import { ConfigError, readConfig } from './startup/config.ts';
import { forgetLibpqVariables } from './startup/libpq-variables.ts';
import { VERSION } from './version.ts';

/** Changes the master key of a data directory whose server is stopped, or of the database that DATABASE_URL
 *  names. Prints one line and sets the exit status. */

const NOBODY = { name: '', dataDir: '', alone: true };

async function main(): Promise<void> {
  const config = readConfig(process.env);
  forgetLibpqVariables(process.env, config);
  const log = createLog(config.logLevel);
  const lock = lockDataDir(config.dataDir);
  const postgres =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, log })
      : undefined;
  const db = new Db({ connection: postgres?.connection ?? { connectionString: config.databaseUrl }, log });
  try {
    await migrateToLatest(db.pool, { version: VERSION });
    const clock = new SharedClock();
    await new ClockWatch({ db, clock, log }).measure();
    const { masterKeys: configured, dataDir } = config;
    const options = { db, configured, dataDir, timestamp: clock.timestamp() };
    // Features are asked for what they keep encrypted alone; what they would serve with does not matter.
    const providers = new RegionProviders([], {});
    const ids = randomIds();
    const cipher = new Cipher([newKey()]);
    const all = features({
      sessions: new Sessions({ db, clock, cipher }),
      owners: new RegionOwners({ db, log, ids, node: NOBODY, owned: [], everybodys: [] }),
      watcher: new TaskWatcher(db),
      changes: new ChangeWatcher(db),
      routes: () => [],
      watchdog: () => {
        throw new Error('no tasks are worked on here');
      },
      providers,
      engines: { list: () => [] },
      node: NOBODY,
      db,
      log,
      clock,
      ids,
      cipher,
      mail: { smtpUrl: undefined, from: config.mailFrom },
    });
    const resealers = all.flatMap((feature) => feature.reseal ?? []);
    report(await rotateKeys(options, resealers), configured.length > 0);
  } finally {
    await db.close();
    await postgres?.stop();
    lock.release();
  }
}

function report({ values, keyId }: Rotation, configured: boolean): void {
  const rest = configured ? ' Remove the older keys from VIRGA_MASTER_KEY.' : '';
  process.stdout.write(`Values now encrypted under the master key ${keyId}: ${values}.${rest}\n`);
}

main().catch((error) => {
  const known = error instanceof ConfigError || error instanceof StartError;
  process.stderr.write(`${known ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = 1;
});
