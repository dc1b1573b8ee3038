import type { FastifyInstance } from 'fastify';
import { AREAS } from './areas.ts';
import { addressConversions } from './features/address-conversions/index.ts';
import { flavors } from './features/flavors/index.ts';
import { floatingIps } from './features/floating-ips/index.ts';
import { bearerResolver, iam, readClient } from './features/iam/index.ts';
import { imageSource, images } from './features/images/index.ts';
import { inferenceSecrets } from './features/inference-secrets/index.ts';
import { instances, instancesOfGroup, machinesInShort } from './features/instances/index.ts';
import { kubernetes } from './features/kubernetes/index.ts';
import { findSecretUsers, loadBalancers } from './features/load-balancers/index.ts';
import { managedPostgresql } from './features/managed-postgresql/index.ts';
import { networks } from './features/networks/index.ts';
import { ports } from './features/ports/index.ts';
import { projects, readProjectOwners } from './features/projects/index.ts';
import { quotas } from './features/quotas/index.ts';
import { readRegionsByIds, regions } from './features/regions/index.ts';
import { reservedFixedIps } from './features/reserved-fixed-ips/index.ts';
import { responsePages } from './features/response-pages/index.ts';
import { routers, routersOfNetworks } from './features/routers/index.ts';
import { SecretReader, secrets } from './features/secrets/index.ts';
import { findSecurityGroups, securityGroups } from './features/security-groups/index.ts';
import { serverGroups } from './features/server-groups/index.ts';
import { sshKeys } from './features/ssh-keys/index.ts';
import { storageNotifications } from './features/storage-notifications/index.ts';
import { TaskReads, tasks } from './features/tasks/index.ts';
import { type VideoTokenSettings, videoTokens } from './features/video-tokens/index.ts';
import { volumes } from './features/volumes/index.ts';
import { webhooks } from './features/webhooks/index.ts';
import type { Clock } from './kernel/clock.ts';
import type { Ids } from './kernel/ids.ts';
import type { Logger } from './kernel/log.ts';
import { Authenticator } from './platform/auth/caller.ts';
import { Background } from './platform/background.ts';
import type { Db } from './platform/database/db.ts';
import { byKey, SharedLookUp } from './platform/database/shared-look-up.ts';
import type { Feature } from './platform/feature.ts';
import type { ScopeResolver } from './platform/http/context.ts';
import { forgetOldKeys } from './platform/http/idempotency.ts';
import { probeRoutes } from './platform/http/probes.ts';
import type { Route } from './platform/http/route.ts';
import { buildApi } from './platform/http/server.ts';
import { Mailer } from './platform/mail/mailer.ts';
import { Metrics } from './platform/metrics/metrics.ts';
import { openApiDocument } from './platform/openapi/document.ts';
import { serveReference } from './platform/openapi/reference.ts';
import type { NodeIdentity } from './platform/owners/owned-region.ts';
import { RegionOwners } from './platform/owners/region-owners.ts';
import type { Cipher } from './platform/secrets/cipher.ts';
import { TaskEngine } from './platform/tasks/engine.ts';
import type { TaskHandler } from './platform/tasks/handler.ts';
import { TaskWatcher } from './platform/tasks/watch.ts';
import { TaskWatchdog } from './platform/tasks/watchdog.ts';
import { Worker } from './platform/tasks/worker.ts';
import type { RegionProviders } from './region-providers.ts';

export const VERSION = '0.1.0';

export interface AppOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly providers: RegionProviders;
  readonly cipher: Cipher;
  readonly rateLimit: number;
  readonly mail: MailOptions;
  readonly isReady: () => boolean;
  readonly node: NodeIdentity;
  readonly checkResponses?: boolean;
  /** Absent: video tokens are not issued. */
  readonly video?: VideoTokenSettings;
}

export interface MailOptions {
  /** Where mail goes; undefined: it stays in the outbox. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
}

/** Every feature, put together. The only list of them. */
export function features({
  providers,
  db,
  log,
  clock,
  ids,
  cipher,
  mail,
  watcher,
  video,
  owners,
}: Omit<AppOptions, 'rateLimit' | 'isReady' | 'checkResponses' | 'node'> & {
  watcher: TaskWatcher;
  owners: RegionOwners;
}): readonly Feature[] {
  const { loadBalancersOf: providerOf, regionIds } = providers;
  const balancers = loadBalancers({
    db,
    log,
    clock,
    watcher,
    secrets: new SecretReader(cipher),
    providerOf,
    regionIds,
    owners,
  });
  const disks = volumes({
    providerOf: providers.volumesOf,
    typesOf: providers.volumeTypesOf,
    images: imageSource,
    tasks: new TaskReads(db, watcher),
  });
  return [
    iam({ cipher }),
    projects(),
    regions({ capabilitiesOf: providers.capabilitiesOf }),
    tasks({ watcher, db }),
    inferenceSecrets({ cipher }),
    quotas({ db, clock, ids, sendsMail: mail.smtpUrl !== undefined }),
    managedPostgresql({ capabilitiesOf: providers.capabilitiesOf }),
    sshKeys(),
    disks,
    serverGroups({ hasMachines: (id) => providers.offers(id, 'kvm') }),
    securityGroups({
      providerOf: providers.securityGroupsOf,
      tasks: new TaskReads(db, watcher),
      instances: instancesOfGroup,
    }),
    flavors({ hasMachines: (id) => providers.offers(id, 'kvm') }),
    images({ providerOf: providers.imagesOf }),
    instances({
      providerOf: providers.instancesOf,
      floatingIpsOf: providerOf,
      volumes: disks.machines,
      cipher,
    }),
    kubernetes({ db, log, clock, ids, cipher, providerOf: providers.kubernetesOf, regionIds }),
    secrets({ cipher, clock, findUsers: findSecretUsers }),
    balancers,
    floatingIps({ providerOf, carrier: balancers.carrier, machines: machinesInShort }),
    networks({ providerOf: providers.networksOf, routers: routersOfNetworks(providerOf) }),
    routers({ providerOf: providers.networksOf, rulesOf: providerOf }),
    addressConversions({ providerOf }),
    ports({ providerOf: providers.networksOf, findSecurityGroups }),
    reservedFixedIps({ providerOf, ipv6Fault: balancers.ipv6Fault }),
    responsePages(),
    storageNotifications({ db, clock }),
    webhooks({ db, clock, log, cipher }),
    videoTokens(video),
  ];
}

/** The API server and the worker of one node; neither is started. */
export class App {
  readonly features: readonly Feature[];
  readonly routes: readonly Route[];
  readonly document: Record<string, unknown>;
  /** The handlers of every task type. */
  readonly handlers: readonly TaskHandler[];
  readonly engine: TaskEngine;
  readonly worker: Worker;
  readonly watchdog: TaskWatchdog;
  readonly background: Background;
  readonly #options: AppOptions;
  readonly #metrics = new Metrics();
  readonly #watcher: TaskWatcher;
  readonly #authenticator: Authenticator;

  constructor(options: AppOptions) {
    this.#options = options;
    this.#watcher = new TaskWatcher(options.db);
    const owners = ownersOf(options);
    const all = features({ ...options, watcher: this.#watcher, owners });
    this.features = all;
    this.#authenticator = authenticatorOf(options);
    this.routes = [
      ...all.flatMap((feature) => feature.routes ?? []),
      ...probeRoutes({
        metrics: this.#metrics,
        isReady: options.isReady,
        notes: () => owners.refused(),
        operatorMetrics: all.flatMap(({ operatorMetrics }) => operatorMetrics ?? []),
        authenticator: this.#authenticator,
      }),
    ];
    this.document = openApiDocument(this.routes, VERSION, AREAS);
    this.handlers = all.flatMap((feature) => feature.tasks ?? []);
    this.engine = new TaskEngine({
      db: options.db,
      clock: options.clock,
      log: options.log,
      handlers: this.handlers,
      serves: (regionId) => owners.serves(regionId),
      onEnd: (type, state, seconds) => this.#metrics.observeTask(type, state, seconds),
    });
    this.worker = new Worker({ ...options, engine: this.engine, owners });
    const { handlers } = this;
    this.watchdog = new TaskWatchdog({ ...options, handlers, held: all.flatMap(({ held }) => held ?? []) });
    const hooks = Object.assign({}, ...all.map((feature) => feature.mailSent ?? {}));
    const mailer = new Mailer({ ...options, ...options.mail, hooks });
    this.background = new Background(
      [
        ...all.flatMap((feature) => feature.background ?? []),
        ...mailer.jobs,
        forgetOldKeys(options.db),
        this.watchdog.job,
      ],
      options.db,
      options.log,
    );
  }

  async api(): Promise<FastifyInstance> {
    const { db, clock, ids, log, rateLimit, checkResponses = false } = this.#options;
    const api = await buildApi({
      db,
      clock,
      ids,
      log,
      authenticator: this.#authenticator,
      scopes: scopeResolver(db),
      routes: this.routes,
      rateLimit,
      checkResponses,
      observe: (...seen) => this.#metrics.observeRequest(...seen),
    });
    // Long polls and streams end at once when the server stops.
    api.addHook('preClose', () => this.#watcher.close());
    await serveReference(api, this.document);
    return api;
  }
}

function ownersOf({ providers, ...options }: AppOptions): RegionOwners {
  const { owned } = providers;
  const everybodys = providers.regionIds().filter((id) => !owned.some((region) => region.id === id));
  return new RegionOwners({ ...options, owned, everybodys });
}

function authenticatorOf({ db, clock, cipher }: AppOptions): Authenticator {
  return new Authenticator({
    db,
    now: () => clock.now().getTime(),
    bearer: bearerResolver({ db, clock, cipher }),
  });
}

function scopeResolver(db: Db): ScopeResolver {
  const owners = new SharedLookUp(async (ids: readonly number[]) =>
    byKey(await readProjectOwners(db, ids), 'id'),
  );
  const found = new SharedLookUp(async (ids: readonly number[]) =>
    byKey(await readRegionsByIds(db, ids), 'id'),
  );
  return {
    project: async (id, clientId) => {
      const row = await owners.get(id);
      const visible = row && (clientId === 'any' || row.client_id === clientId);
      return visible ? { id: row.id, clientId: row.client_id } : undefined;
    },
    region: async (id) => {
      const row = await found.get(id);
      return row && { id: row.id, name: row.display_name, state: row.state };
    },
    client: async (id) => (await readClient(db, id)) !== undefined,
  };
}
