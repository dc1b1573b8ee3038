import { realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { App } from './app.ts';
import { EdgeBeside } from './edge/edge-beside.ts';
import { keepVideoSecrets } from './edge/video-secrets.ts';
import { Engines, moreToHave, shelf } from './engines/index.ts';
import { offer } from './features/catalogue/index.ts';
import { simulationSignals } from './features/kubernetes/index.ts';
import { readRegions } from './features/regions/index.ts';
import { simulatedStrikes } from './features/simulation/index.ts';
import { INSTALLATION } from './installation.ts';
import { SharedClock } from './kernel/clock.ts';
import { removeVoidClaims, useAccounts } from './kernel/engine-accounts.ts';
import { randomIds } from './kernel/ids.ts';
import { createLog, type Logger } from './kernel/log.ts';
import { LogOutput, print } from './kernel/log-output.ts';
import { Db } from './platform/database/db.ts';
import {
  type EmbeddedPostgres,
  isTemporaryDataDir,
  lockDataDir,
  newTemporaryDataDir,
  purgeDataDir,
  shareDataDir,
  startEmbeddedPostgres,
  TEMPORARY,
  temporaryDataDirs,
} from './platform/database/embedded/index.ts';
import { migrateToLatest } from './platform/database/migrate.ts';
import { Outage } from './platform/database/outage.ts';
import { Leases } from './platform/leases.ts';
import { ClockWatch } from './platform/nodes/clock-watch.ts';
import { Prices } from './platform/prices/prices.ts';
import { openCipher } from './platform/secrets/master-keys.ts';
import { releaseStartMemory } from './platform/start-memory.ts';
import { startTracing } from './platform/tracing/otel.ts';
import { memberNetworks } from './providers/local/index.ts';
import { providerFactories } from './regions/known-providers.ts';
import { withSteps } from './regions/provider-steps.ts';
import { RegionProviders } from './regions/region-providers.ts';
import { collectorsOf, defaultRegions, readRegionsFile } from './regions/regions-file.ts';
import { beginWith } from './seed/seed.ts';
import { readSeedFile } from './seed/seed-file.ts';
import { readCatalogueFile, refuseMissingFlavors } from './startup/catalogue-file.ts';
import { type Config, ConfigError, readConfig } from './startup/config.ts';
import { explain } from './startup/explain.ts';
import { prepareDatabase } from './startup/first-run.ts';
import { requireFreePort } from './startup/free-port.ts';
import { greeting } from './startup/greeting.ts';
import { forgetLibpqVariables } from './startup/libpq-variables.ts';
import { ownPorts } from './startup/own-ports.ts';
import { readPriceList } from './startup/price-list-file.ts';
import { settingsIn } from './startup/start-options.mjs';
import { type Closer, type Closers, type Drain, type Programs, stopper } from './startup/stop.ts';
import { serveProbes, urlOf } from './startup/worker-probes.ts';
import { VERSION } from './version.ts';

const DATA_PLANES_MS = 9_000;
const POSTGRES_MS = 9_500;
/** What was traced and not sent yet has this long to go. */
const TRACES_MS = 3_000;
const STANDARD_OUTPUT = 1;

/** Settings of a PostgreSQL whose data nobody will ask for again. */
const FORGETFUL = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** As root, data planes run as accounts without rights, from which a restrictive umask would keep what they have to
 *  read. What is secret is written with a mode of its own. */
function allowReading(): void {
  if (process.getuid?.() === 0) process.umask(0o022);
}

async function main(): Promise<void> {
  allowReading();
  const config = configured();
  const outage = new Outage();
  const quiet = (logged: readonly unknown[]) => outage.explains(logged);
  const logOutput = new LogOutput(STANDARD_OUTPUT);
  const names = { node: config.node, role: config.role };
  const log = createLog(config.logLevel, { quiet, destination: logOutput }).child(names);
  const closers: Closers = [];
  const drain: Drain = { begin: async () => {} };
  const stop = stopper(closers, drain, log);
  process.on('SIGTERM', () => stop(0, config.onSigterm));
  process.on('SIGINT', () => stop(0, 'stop'));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    stop(1, 'leave');
  });
  try {
    await start(config, { log, logOutput, outage, drain }, closers);
  } catch (error) {
    explain(error, config, log);
    await stop(1, 'as before');
  }
}

/** @throws ConfigError; what was made for the start is gone by then */
function configured(): Config {
  Object.assign(process.env, settingsIn(process.argv.slice(2)));
  if (process.env.VIRGA_DATA_DIR?.trim() === TEMPORARY) process.env.VIRGA_DATA_DIR = newTemporaryDataDir();
  const dataDir = process.env.VIRGA_DATA_DIR ?? '';
  try {
    const config = readConfig(
      process.env,
      process.argv.slice(2).filter((arg) => arg !== '--'),
    );
    forgetLibpqVariables(process.env, config);
    return config;
  } catch (error) {
    if (isTemporaryDataDir(dataDir)) rmSync(dataDir, { recursive: true });
    throw error;
  }
}

/** A temporary data directory goes with this process, and with this start those go whose servers were killed. */
async function forgetTemporary(dataDir: string, closers: Closers): Promise<void> {
  if (!isTemporaryDataDir(dataDir)) return;
  closers.push(() => purgeDataDir(dataDir));
  for (const folder of temporaryDataDirs({ abandoned: true })) await purgeDataDir(folder);
}

async function start(
  config: Config,
  { log, logOutput, outage, drain }: { log: Logger; logOutput: LogOutput; outage: Outage; drain: Drain },
  closers: Closers,
): Promise<void> {
  await forgetTemporary(config.dataDir, closers);
  await requireFreePort(config);
  useAccounts({ range: config.engineAccounts });
  removeVoidClaims();
  const { tracing: traces } = config;
  const tracing = traces && (await startTracing({ ...traces, ...config, log, version: VERSION }));
  if (tracing) closers.push(Object.assign(() => tracing.close(), { patienceMs: TRACES_MS }));
  if (config.catalogueFile !== undefined) offer(readCatalogueFile(config.catalogueFile));
  const regions = config.regionsFile === undefined ? undefined : readRegionsFile(config.regionsFile);
  const seedCalls = config.seedFile === undefined ? undefined : readSeedFile(config.seedFile);
  const alone = config.databaseUrl === undefined;
  const lock = alone ? lockDataDir(config.dataDir) : shareDataDir(config.dataDir);
  closers.push(() => lock.release());
  const postgres = config.databaseUrl === undefined ? await startPostgres(config, log, closers) : undefined;
  const connection = postgres?.connection ?? { connectionString: config.databaseUrl };
  const db = new Db({ connection, log, outage, freeBytes: postgres && (() => postgres.freeBytes()) });
  closers.push(() => db.close());
  const clock = new SharedClock();
  const clockWatch = new ClockWatch({ db, clock, log });
  await clockWatch.start();
  closers.push(() => clockWatch.stop());
  const ids = randomIds();
  await migrateToLatest(db.pool, { version: VERSION });
  await refuseMissingFlavors(db);
  const { apiKey } = config;
  // Nodes that share it may know it under several names.
  const dataDir = realpathSync(config.dataDir);
  const { node } = config;
  const seed = seedCalls !== undefined;
  const first = { db, clock, ids, apiKey, regions, defaultRegions: defaultRegions(), dataDir, node, seed };
  const firstRun = await prepareDatabase(first);
  const { masterKeys: configured } = config;
  const cipher = await openCipher({ db, configured, dataDir, timestamp: clock.timestamp() });
  const engines = await lookForEngines(dataDir, log, closers);
  const known = await readRegions(db);
  const leases = new Leases(db);
  closers.push(() => leases.release());
  const providers = new RegionProviders(
    known,
    withSteps(
      providerFactories({
        ...config,
        dataDir,
        log,
        engines,
        signals: simulationSignals(db),
        strikesOf: simulatedStrikes(db, config.seed),
        collectorOf: collectorsOf(known),
        clock,
        memberNetworks: memberNetworks(config.memberNetworks, await ownPorts(config)),
        cipher,
        db,
        leases,
      }),
      log,
      tracing !== undefined,
    ),
  );
  closers.push(closerOf(providers, dataDir));
  let ready = false;
  const { secrets: given } = config.video;
  const secrets = given.length > 0 ? given : keepVideoSecrets(dataDir, ids);
  const app = new App({
    db,
    clock,
    clockWatch,
    ids,
    log,
    logOutput,
    providers,
    engines,
    cipher,
    mail: { smtpUrl: config.smtpUrl, from: config.mailFrom },
    rateLimit: config.rateLimit,
    webhookNetworks: config.webhookNetworks,
    prices: new Prices(config.pricesFile === undefined ? undefined : readPriceList(config.pricesFile)),
    corsOrigins: config.corsOrigins,
    kept: config.kept,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    accessLog: config.accessLog,
    strict: config.strict,
    requireSecondFactor: config.requireSecondFactor,
    tracing,
    tls: config.tls,
    isReady: () => ready,
    node: { name: config.node, dataDir, alone },
    role: config.role,
    portal: path.join(INSTALLATION, 'portal/dist'),
    guide: path.join(INSTALLATION, 'guide/dist'),
    video: { ...config.video, secrets },
  });
  await app.presence.start();
  closers.push(() => app.presence.stop());
  await app.certificates.start();
  closers.push(() => app.certificates.stop());
  const probes = config.role === 'worker' ? await startProbes(app, config, log, closers) : undefined;
  if (config.role !== 'api') await startWorker(app, closers);
  const api = await app.api();
  closers.push(() => api.close());
  await beginWith(seedCalls, { db, clock, cipher, api, alone, log, waits: config.role !== 'api' });
  const url = config.role === 'worker' ? undefined : await serve(api, config);
  await releaseStartMemory();
  ready = true;
  drain.begin = async (signal) => {
    ready = false;
    if (url) await delay(config.drainMs, undefined, { signal }).catch(() => {});
  };
  // A worker is ready too, though there is nothing to ask.
  lock.announce(url ?? '');
  if (url) {
    const edge = new EdgeBeside({ config, url, secrets, log, db, clock, ids, dataDir });
    closers.push(() => edge.stop());
    await edge.start();
  }
  const isTerminal = process.stdout.isTTY === true;
  const said = {
    ...firstRun,
    more: moreToHave(engines),
    url,
    probes,
    pid: process.pid,
    node,
    dataDir,
    isTerminal,
  };
  print('log', ...greeting(said));
}

/** Ends the data planes, or leaves them to the next start. Nobody comes after this process to temporary ones. */
function closerOf(providers: RegionProviders, dataDir: string): Closer {
  const before = providers.owned.some(({ data }) => data.programsOf(dataDir).length > 0) ? 'leave' : 'stop';
  const close = (programs: Programs) => {
    if (isTemporaryDataDir(dataDir)) return providers.close('stop');
    return providers.close(programs === 'as before' ? before : programs);
  };
  return Object.assign(close, { patienceMs: DATA_PLANES_MS });
}

/** Goes on looking: what is installed while this runs counts without a restart. */
async function lookForEngines(dataDir: string, log: Logger, closers: Closers): Promise<Engines> {
  const engines = new Engines({
    folders: [path.join(dataDir, 'engines'), shelf()],
    onChange: ({ engine, state, fault }) =>
      log.info({ engine: engine.name, state, fault }, `${engine.title} is ${state} now`),
  });
  await engines.start();
  closers.push(() => engines.close());
  return engines;
}

async function startPostgres(config: Config, log: Logger, closers: Closers): Promise<EmbeddedPostgres> {
  const { dataDir } = config;
  const throwAway = isTemporaryDataDir(dataDir) && { durable: false, settings: FORGETFUL };
  const postgres = await startEmbeddedPostgres({ dataDir, log, ...throwAway });
  closers.push(Object.assign(() => postgres.stop(), { patienceMs: POSTGRES_MS }));
  return postgres;
}

async function startWorker(app: App, closers: Closers): Promise<void> {
  await app.worker.start();
  closers.push(() => app.worker.stop());
  await app.background.start();
  closers.push(() => app.background.stop());
}

async function serve(api: FastifyInstance, config: Config): Promise<string> {
  await api.listen({ host: config.host, port: config.port });
  return urlOf(api, config.tls !== undefined);
}

async function startProbes(
  app: App,
  config: Config,
  log: Logger,
  closers: Closers,
): Promise<string | undefined> {
  const probes = await app.probes();
  closers.push(() => probes.close());
  return serveProbes(probes, config, log);
}

main().catch((error) => {
  print('error', error instanceof ConfigError ? error.message : String(error?.stack ?? error));
  process.exitCode = 1;
});
