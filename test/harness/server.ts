import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { App } from '../../server/src/app.ts';
import type { AppOptions } from '../../server/src/app-options.ts';
import { Engines, shelf } from '../../server/src/engines/index.ts';
import { insertToken, newTokenValue } from '../../server/src/features/iam/index.ts';
import { simulationSignals } from '../../server/src/features/kubernetes/index.ts';
import { type NewRegion, type RegionRow, readRegions } from '../../server/src/features/regions/index.ts';
import { simulatedStrikes } from '../../server/src/features/simulation/index.ts';
import type { VideoTokenSettings } from '../../server/src/features/video-tokens/index.ts';
import type { AllowedNetworks } from '../../server/src/features/webhooks/index.ts';
import { type Clock, systemClock } from '../../server/src/kernel/clock.ts';
import { type Ids, randomIds } from '../../server/src/kernel/ids.ts';
import { hashToken } from '../../server/src/platform/auth/caller.ts';
import type { Role } from '../../server/src/platform/auth/roles.ts';
import { Db } from '../../server/src/platform/database/db.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import type { TlsFiles } from '../../server/src/platform/http/tls.ts';
import { Leases } from '../../server/src/platform/leases.ts';
import type { Prices } from '../../server/src/platform/prices/prices.ts';
import { Cipher, KEY_BYTES } from '../../server/src/platform/secrets/cipher.ts';
import { addKeyId } from '../../server/src/platform/secrets/master-keys.ts';
import { memberNetworks } from '../../server/src/providers/local/addresses/member-networks.ts';
import { providerFactories } from '../../server/src/regions/known-providers.ts';
import { completeProjects, setUpProject, setUpRegions } from '../../server/src/regions/region-contents.ts';
import { type RegionProvider, RegionProviders } from '../../server/src/regions/region-providers.ts';
import { collectorsOf } from '../../server/src/regions/regions-file.ts';
import type { IpRanges } from '../../signing/src/addresses.ts';
import { createTestDatabase } from './database.ts';
import { checkErrors } from './documented-errors.ts';
import { newFolder } from './leftovers.ts';
import { noteOperations } from './operations-seen.ts';
import { PATIENCE_MS, waitUntil } from './wait.ts';

/** A whole server in this process, on a database of its own: two clients, every role, two regions of which
 *  number 2 is simulated and instant. Every answer is checked against the
 *  OpenAPI document. */
export interface TestServer {
  readonly db: Db;
  readonly app: App;
  readonly cipher: Cipher;
  readonly api: FastifyInstance;
  readonly clock: Clock;
  readonly providers: RegionProviders;
  /** What local regions keep is below it. */
  readonly dataDir: string;
  readonly tokens: Readonly<Record<Caller, string>>;
  /** Client 1 has project 1, client 2 has project 2. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Waits until the tasks of a reply have ended, and returns the first. */
  ended(reply: Reply): Promise<TaskView>;
  /** Another node that serves the API on the same database, with nothing in common but that. */
  anotherNode(): Promise<FastifyInstance>;
  /** A node on the same database that is not started; its caller starts and stops what it needs of it. */
  newApp(differences?: Partial<AppOptions>): App;
  /** Ends the worker and starts one that remembers nothing; `app` stays the first one's. */
  restart(): Promise<void>;
  /** Ends the background jobs, also those of a worker that was started anew. */
  stopBackground(): Promise<void>;
  close(): Promise<void>;
}

export type Caller = Role | 'operator' | 'other client';

export interface CallOptions {
  readonly body?: unknown;
  /** Default: Administrators. */
  readonly as?: Caller;
  /** A token value instead of one of the callers'. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
}

export interface TaskView {
  readonly id: string;
  readonly task_type: string;
  readonly state: string;
  readonly error: string | null;
  readonly created_resources: Readonly<Record<string, readonly (string | number)[]>> | null;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly subject: (Resource & { readonly name: string | null; readonly parent: Resource | null }) | null;
}

interface Resource {
  readonly type: string;
  readonly id: string;
}

export interface TestServerOptions {
  readonly clock?: Clock;
  /** What it reaches its database through, instead of directly. */
  readonly through?: { readonly host: string; readonly port: number };
  /** Connections to its database. Three of them listen and hold leases. Default: 10. */
  readonly connections?: number;
  /** Without a worker tasks stay NEW. Default: with one. */
  readonly worker?: boolean;
  readonly regions?: readonly NewRegion[];
  readonly rateLimit?: number;
  readonly corsOrigins?: AppOptions['corsOrigins'];
  readonly patience?: AppOptions['patience'];
  readonly streams?: AppOptions['streams'];
  /** Default: reads of young tasks wait only when there is a worker to end them. */
  readonly taskReads?: AppOptions['taskReads'];
  readonly trustedProxies?: IpRanges;
  readonly accessLog?: boolean;
  readonly requireSecondFactor?: boolean;
  readonly tls?: TlsFiles;
  /** Of 32 bytes each; default: a new one. */
  readonly masterKeys?: readonly Buffer[];
  /** Default: none, so that mail stays in the outbox. */
  readonly smtpUrl?: string;
  /** Default: silent. */
  readonly log?: Logger;
  readonly seed?: string;
  /** Default: random ones. */
  readonly ids?: Ids;
  /** Puts something between the features and what regions run on. */
  readonly aroundProvider?: (provider: RegionProvider) => RegionProvider;
  /** Default: PostgreSQL alone. */
  readonly engines?: Engines;
  /** Default: none. */
  readonly webhookNetworks?: AllowedNetworks;
  /** Default: none. */
  readonly imageMirror?: string;
  /** Default: none. */
  readonly prices?: Prices;
  /** Default: account 1 with one secret. */
  readonly video?: VideoTokenSettings;
}

const REGIONS: readonly NewRegion[] = [
  { id: 1, display_name: 'Local', slug: 'local', state: 'ACTIVE', provider: 'simulated', settings: {} },
  {
    id: 2,
    display_name: 'Simulated',
    slug: 'simulated',
    state: 'ACTIVE',
    provider: 'simulated',
    settings: {},
  },
  {
    id: 3,
    display_name: 'Asleep',
    slug: 'asleep',
    state: 'MAINTENANCE',
    provider: 'simulated',
    settings: {},
  },
];

const VIDEO: VideoTokenSettings = {
  accountId: '1',
  secrets: ['test-video-secret'],
  cdnUrl: 'http://cdn.test',
  cdnIpUrl: 'http://cdn-ip.test',
  trustedProxies: undefined,
  corsOrigins: undefined,
  authorizeUrl: undefined,
};

const documents = new Map<string, App['document']>();

/** Of all servers with the same routes it says the same. */
function documentOf(app: App): App['document'] {
  const routes = app.routes.map(({ spec: { method, path } }) => `${method} ${path}`).join();
  const document = documents.get(routes) ?? app.document;
  documents.set(routes, document);
  return document;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = await createTestDatabase();
  const log = options.log ?? pino({ level: process.env.VIRGA_TEST_LOG ?? 'silent' });
  // A request that a busy machine gave up would go on, and change something beneath what a test does next.
  const livenessMs = PATIENCE_MS;
  const connection = { ...database.connection, ...options.through };
  const db = new Db({ connection, log, maxConnections: options.connections ?? 10, livenessMs });
  const clock = options.clock ?? systemClock();
  const tokens = await populate(db, clock, options.regions ?? REGIONS);
  const dataDir = newFolder('server');
  const engines = options.engines ?? (await lookFor(['postgresql-18']));
  const { aroundProvider = (provider) => provider } = options;
  const cipher = new Cipher(options.masterKeys ?? [randomBytes(KEY_BYTES)]);
  await db.transaction((tx) => addKeyId(tx, cipher.currentKeyId, clock.timestamp()));
  const leases = new Leases(db);
  const factories = providerFactories({
    memberNetworks: memberNetworks(''),
    imageMirror: options.imageMirror,
    timeScale: 0,
    seed: options.seed ?? 'test',
    dataDir,
    log,
    clock: systemClock(),
    engines,
    signals: simulationSignals(db),
    strikesOf: simulatedStrikes(db, options.seed ?? 'test'),
    collectorOf: collectorsOf(options.regions ?? REGIONS),
    cipher,
    db,
    leases,
  });
  const wrapped = Object.entries(factories).map(
    ([name, make]) => [name, (region: RegionRow) => aroundProvider(make(region))] as const,
  );
  const providers = new RegionProviders(await readRegions(db), Object.fromEntries(wrapped));
  const { rateLimit = 0 } = options;
  const newApp = (differences: Partial<AppOptions> = {}) =>
    new App({
      db,
      clock,
      ids: options.ids ?? randomIds(),
      log,
      providers,
      engines,
      cipher,
      mail: { smtpUrl: options.smtpUrl, from: 'Virga <virga@virga.test>' },
      rateLimit,
      ...(options.corsOrigins && { corsOrigins: options.corsOrigins }),
      ...(options.patience && { patience: options.patience }),
      ...(options.streams && { streams: options.streams }),
      taskReads: { ...(options.worker === false && { youngMs: 0 }), ...options.taskReads },
      trustedProxies: options.trustedProxies,
      accessLog: options.accessLog ?? false,
      requireSecondFactor: options.requireSecondFactor ?? false,
      tls: options.tls,
      isReady: () => true,
      node: { name: 'test', dataDir, alone: true },
      checkResponses: true,
      webhookNetworks: options.webhookNetworks ?? [],
      ...(options.prices && { prices: options.prices }),
      video: options.video ?? VIDEO,
      ...differences,
    });
  const app = newApp();
  let working = app;
  const api = await app.api();
  const nodes = [api];
  noteOperations(api);
  checkErrors(api, () => documentOf(app));
  const withWorker = options.worker ?? true;
  if (withWorker) {
    await app.presence.start();
    await app.worker.start();
    await app.background.start();
  }
  const call = caller(api, tokens);
  return {
    db,
    app,
    cipher,
    api,
    clock,
    providers,
    dataDir,
    tokens,
    call,
    ended: (reply) => ended(call, reply),
    anotherNode: async () => {
      const other = await newApp().api();
      nodes.push(other);
      return other;
    },
    newApp,
    restart: async () => {
      await working.background.stop();
      await working.worker.stop();
      working = newApp();
      await working.worker.start();
      await working.background.start();
    },
    stopBackground: () => working.background.stop(),
    close: async () => {
      for (const each of nodes) await each.close();
      if (withWorker) {
        await working.background.stop();
        await working.worker.stop();
        await app.presence.stop();
      }
      await providers.close();
      await leases.release();
      await db.close();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Engines of this machine, of which these are tried; the others are as if they were not there. */
export async function lookFor(names: readonly string[]): Promise<Engines> {
  const engines = new Engines({ folders: [shelf()] });
  await engines.look(names);
  return engines;
}

function caller(api: FastifyInstance, tokens: TestServer['tokens']): TestServer['call'] {
  return async (method, path, { body, as = 'Administrators', token, headers = {} } = {}) => {
    const response = await api.inject({
      method: method as 'GET',
      url: path,
      headers: {
        authorization: `APIKey ${token ?? tokens[as]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const json = String(response.headers['content-type']).includes('json') && response.payload !== '';
    return {
      status: response.statusCode,
      body: json ? JSON.parse(response.payload) : response.payload,
      headers: response.headers,
    };
  };
}

async function ended(call: TestServer['call'], reply: Reply): Promise<TaskView> {
  const tasks = await Promise.all(
    (reply.body.tasks as string[]).map((id) =>
      waitUntil(
        async () => {
          const { body } = await call('GET', `/cloud/v1/tasks/${id}`);
          return body.state === 'FINISHED' || body.state === 'ERROR' ? (body as TaskView) : undefined;
        },
        { what: `task ${id} to end`, intervalMs: 5 },
      ),
    ),
  );
  if (!tasks[0]) throw new Error('the reply names no task');
  return tasks[0];
}

async function populate(db: Db, clock: Clock, regions: readonly NewRegion[]): Promise<TestServer['tokens']> {
  const tokens = await db.transaction(async (tx) => {
    const now = clock.timestamp();
    await tx.run(sql`with c as (insert into clients (name, email) values ('One', 'one@virga.test'), ('Two', 'two@virga.test')),
            u as (insert into users (email, name) values ('one@virga.test', 'One'), ('two@virga.test', 'Two'))
       select 1`);
    await tx.run(
      sql`insert into client_users (client_id, user_id, role) values (1, 1, 'Administrators'), (2, 2, 'Administrators')`,
    );
    for (const clientId of [1, 2]) {
      await setUpProject(tx, {
        clientId,
        name: 'default',
        description: null,
        isDefault: true,
        timestamp: now,
      });
    }
    await setUpRegions(tx, regions, { ids: randomIds(), timestamp: now });
    const make = async (clientId: number, role: Role | 'operator') => {
      const value = newTokenValue(randomIds());
      await insertToken(tx, {
        clientId,
        userId: clientId,
        role,
        name: role,
        description: '',
        hash: hashToken(value),
        expiresAt: null,
        timestamp: now,
      });
      return value;
    };
    return {
      Administrators: await make(1, 'Administrators'),
      Engineers: await make(1, 'Engineers'),
      Users: await make(1, 'Users'),
      operator: await make(1, 'operator'),
      'other client': await make(2, 'Administrators'),
    };
  });
  await completeProjects(db);
  return tokens;
}
