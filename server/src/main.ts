import { realpathSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { App } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { EdgeProcess, reportSettings } from './edge-process.ts';
import { simulationSignals } from './features/kubernetes/index.ts';
import { readRegions } from './features/regions/index.ts';
import { type Credentials, prepareDatabase } from './first-run.ts';
import { systemClock } from './kernel/clock.ts';
import { randomIds } from './kernel/ids.ts';
import { createLog, type Logger } from './kernel/log.ts';
import { Db } from './platform/database/db.ts';
import {
  type EmbeddedPostgres,
  lockDataDir,
  StartError,
  shareDataDir,
  startEmbeddedPostgres,
} from './platform/database/embedded/index.ts';
import { migrateToLatest } from './platform/database/migrate.ts';
import { openCipher } from './platform/secrets/master-keys.ts';
import { providerFactories } from './provider-factories.ts';
import { RegionProviders } from './region-providers.ts';
import { collectorsOf, DEFAULT_REGIONS, readRegionsFile } from './regions-file.ts';
import { keepVideoSecrets } from './video-secrets.ts';

/** Things to undo at the end, last one first. */
type Closers = (() => Promise<unknown> | unknown)[];

const DRAIN_MS = 30_000;

async function main(): Promise<void> {
  const config = readConfig(
    process.env,
    process.argv.slice(2).filter((arg) => arg !== '--'),
  );
  const log = createLog(config.logLevel);
  const closers: Closers = [];
  const stop = stopper(closers, log);
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    stop(1);
  });
  try {
    await start(config, log, closers);
  } catch (error) {
    explain(error, config, log);
    await stop(1);
  }
}

async function start(config: Config, log: Logger, closers: Closers): Promise<void> {
  const regions = config.regionsFile === undefined ? undefined : readRegionsFile(config.regionsFile);
  const alone = config.databaseUrl === undefined;
  const lock = alone ? lockDataDir(config.dataDir) : shareDataDir(config.dataDir);
  closers.push(() => lock.release());
  const postgres = config.databaseUrl === undefined ? await startPostgres(config, log, closers) : undefined;
  const connection = postgres?.connection ?? { connectionString: config.databaseUrl };
  const db = new Db({ connection, log });
  closers.push(() => db.close());
  const clock = systemClock();
  const ids = randomIds();
  await migrateToLatest(db.pool);
  const { apiKey } = config;
  // Nodes that share it may know it under several names.
  const dataDir = realpathSync(config.dataDir);
  const defaultRegions = DEFAULT_REGIONS;
  const credentials = await prepareDatabase({ db, clock, ids, apiKey, regions, defaultRegions, dataDir });
  const { masterKeys: configured } = config;
  const cipher = await openCipher({ db, configured, dataDir, timestamp: clock.timestamp() });
  const known = await readRegions(db);
  const providers = new RegionProviders(
    known,
    providerFactories({
      ...config,
      dataDir,
      log,
      signals: simulationSignals(db),
      collectorOf: collectorsOf(known),
    }),
  );
  closers.push(() => providers.close());
  let ready = false;
  const { secrets: given } = config.video;
  const secrets = given.length > 0 ? given : keepVideoSecrets(dataDir, ids);
  const app = new App({
    db,
    clock,
    ids,
    log,
    providers,
    cipher,
    mail: { smtpUrl: config.smtpUrl, from: config.mailFrom },
    rateLimit: config.rateLimit,
    isReady: () => ready,
    node: { name: config.node, dataDir, alone },
    video: { ...config.video, secrets },
  });
  if (config.role !== 'api') await startWorker(app, closers);
  const url = config.role === 'worker' ? undefined : await serve(app, config, closers);
  ready = true;
  closers.push(() => {
    ready = false;
  });
  if (url) lock.announce(url);
  if (url && config.video.edge.enabled) startEdge(config, url, secrets, log, closers);
  greet(url, config, credentials);
}

async function startPostgres(config: Config, log: Logger, closers: Closers): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  closers.push(() => postgres.stop());
  return postgres;
}

async function startWorker(app: App, closers: Closers): Promise<void> {
  await app.worker.start();
  closers.push(() => app.worker.stop());
  await app.background.start();
  closers.push(() => app.background.stop());
}

async function serve(app: App, config: Config, closers: Closers): Promise<string> {
  const api = await app.api();
  closers.push(() => api.close());
  await api.listen({ host: config.host, port: config.port });
  const { address, family, port } = api.addresses()[0] as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function startEdge(
  config: Config,
  url: string,
  secrets: readonly string[],
  log: Logger,
  closers: Closers,
): void {
  // The same folder seen from server/src and from the bundle in server/dist.
  const script = path.join(import.meta.dirname, '..', '..', 'edge', 'dist', 'main.js');
  const settings = {
    VIRGA_DATA_DIR: config.dataDir,
    VIRGA_VIDEO_SECRETS: secrets.join(','),
    ...(config.video.edge.report ? {} : reportSettings(config.dataDir, url)),
  };
  const edge = new EdgeProcess({ script, settings, log });
  closers.push(() => edge.stop());
  edge.start();
}

function greet(url: string | undefined, config: Config, credentials: Credentials | undefined): void {
  if (!url) {
    console.log(`Virga works on tasks (pid ${process.pid}). Stop it with npm stop or Ctrl-C.`);
    return;
  }
  console.log(`Virga serves ${url} (pid ${process.pid}). Stop it with npm stop or Ctrl-C.`);
  console.log(`The API reference is at ${url}/docs.`);
  if (!credentials) return;
  console.log(`\nThis is the first run. These are kept in ${config.dataDir}/credentials:`);
  console.log(`  sign-in          ${credentials.email}  ${credentials.password}`);
  console.log(`  API token        ${credentials.apiToken}`);
  console.log(`  operator token   ${credentials.operatorToken}\n`);
}

/** Closes everything once, however often it is asked; a second signal does not wait any longer. */
function stopper(closers: Closers, log: Logger): (code: number) => Promise<void> {
  let stopping = false;
  return async (code) => {
    if (stopping) return;
    stopping = true;
    const timer = setTimeout(() => {
      log.error('stopping took too long; ending now');
      process.exit(1);
    }, DRAIN_MS);
    for (const close of [...closers].reverse()) {
      try {
        await close();
      } catch (error) {
        log.error({ err: error }, 'could not close cleanly');
      }
    }
    clearTimeout(timer);
    process.exit(code);
  };
}

/** One clear line for what a person can mend; everything else with its trace. */
function explain(error: unknown, config: Config, log: Logger): void {
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof ConfigError || error instanceof StartError) console.error(error.message);
  else if (code === 'EADDRINUSE') {
    console.error(`Port ${config.port} of ${config.host} is held by another program: stop it, or set PORT.`);
  } else if (code === 'EACCES')
    console.error(`Port ${config.port} may not be opened by this user: set PORT to 1024 or more.`);
  else if (code === 'EADDRNOTAVAIL') console.error(`HOST=${config.host} is not an address of this machine.`);
  else if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') {
    console.error('DATABASE_URL names a PostgreSQL that cannot be reached.');
  } else log.fatal({ err: error }, 'Virga cannot start');
}

main().catch((error) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
});
