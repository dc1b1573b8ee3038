import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './app-options.ts';
import { viewEngine } from './engines/index.ts';
import { attention } from './features/attention/index.ts';
import { capacity } from './features/capacity/index.ts';
import { clients } from './features/clients/index.ts';
import { engineObjects } from './features/engine-objects/index.ts';
import { engines } from './features/engines/index.ts';
import { flavors } from './features/flavors/index.ts';
import { iam, Sessions } from './features/iam/index.ts';
import { imageSource, images } from './features/images/index.ts';
import { inferenceRegistryCredentials } from './features/inference-registry-credentials/index.ts';
import { inferenceSecrets } from './features/inference-secrets/index.ts';
import {
  instanceSummaries,
  instances,
  instancesOfGroup,
  portsAsInterfaces,
} from './features/instances/index.ts';
import { kubernetes } from './features/kubernetes/index.ts';
import { findSecretUsers, loadBalancers } from './features/load-balancers/index.ts';
import { managedPostgresql } from './features/managed-postgresql/index.ts';
import { addressConversions } from './features/networking/address-conversions/index.ts';
import { floatingIps } from './features/networking/floating-ips/index.ts';
import { networks } from './features/networking/networks/index.ts';
import { ports } from './features/networking/ports/index.ts';
import { networkReconcile } from './features/networking/reconcile/index.ts';
import { reservedFixedIps } from './features/networking/reserved-fixed-ips/index.ts';
import { routers, routersOfNetworks } from './features/networking/routers/index.ts';
import { nodes } from './features/nodes/index.ts';
import { notifications } from './features/notifications/index.ts';
import { Locations, objectStorage, PASSED_ON, storageAddress } from './features/object-storage/index.ts';
import { olderStorages } from './features/older-storages/index.ts';
import { pricing } from './features/pricing/index.ts';
import { projectMap } from './features/project-map/index.ts';
import { projects } from './features/projects/index.ts';
import { quotas } from './features/quotas/index.ts';
import { regions } from './features/regions/index.ts';
import { responsePages } from './features/response-pages/index.ts';
import { search } from './features/search/index.ts';
import { SecretReader, secrets } from './features/secrets/index.ts';
import { findSecurityGroups, securityGroups } from './features/security-groups/index.ts';
import { serverGroups } from './features/server-groups/index.ts';
import { sftpStorages } from './features/sftp-storages/index.ts';
import { simulation } from './features/simulation/index.ts';
import { sshKeys } from './features/ssh-keys/index.ts';
import { storageNotifications } from './features/storage-notifications/index.ts';
import { TaskReads, tasks } from './features/tasks/index.ts';
import { deliveredUserAction, userActions } from './features/user-actions/index.ts';
import { videoTokens } from './features/video-tokens/index.ts';
import { volumes } from './features/volumes/index.ts';
import { webhooks } from './features/webhooks/index.ts';
import { meaningOf } from './glossary/index.ts';
import { OperationNames } from './operation-names.ts';
import { Authenticator } from './platform/auth/caller.ts';
import { Background } from './platform/background.ts';
import { CertificateWatch } from './platform/certificates/watch.ts';
import { ChangeWatcher } from './platform/changes/changes.ts';
import { contractJob } from './platform/database/contract.ts';
import type { Feature } from './platform/feature.ts';
import { serveGuide } from './platform/http/guide.ts';
import { forgetOldKeys } from './platform/http/idempotency.ts';
import { METADATA_EXAMPLES } from './platform/http/metadata-routes.ts';
import { servePassOn } from './platform/http/pass-on.ts';
import { servePortal } from './platform/http/portal.ts';
import { probeRoutes } from './platform/http/probes.ts';
import type { Route } from './platform/http/route.ts';
import { buildApi } from './platform/http/server.ts';
import { forgetOldLimits } from './platform/limits/limits.ts';
import { forgetOldCounts } from './platform/limits/shared-counts.ts';
import { Mailer } from './platform/mail/mailer.ts';
import { mailWaiting } from './platform/mail/outbox.ts';
import { Metrics } from './platform/metrics/metrics.ts';
import { ownersForPrometheus } from './platform/metrics/owners.ts';
import { KEPT_A_YEAR, monthsJob } from './platform/months.ts';
import { Presence } from './platform/nodes/presence.ts';
import { openApiDocument } from './platform/openapi/document.ts';
import { serveReference } from './platform/openapi/reference.ts';
import { Leftovers } from './platform/owners/leftovers.ts';
import { RegionOwners } from './platform/owners/region-owners.ts';
import { Prices } from './platform/prices/prices.ts';
import { TaskEngine } from './platform/tasks/engine.ts';
import type { OnEnd, TaskHandler } from './platform/tasks/handler.ts';
import { TaskWatcher } from './platform/tasks/watch.ts';
import { TaskWatchdog } from './platform/tasks/watchdog.ts';
import { Worker } from './platform/tasks/worker.ts';
import { cloudNotes, cloudsForPrometheus, credentialWatch } from './regions/clouds.ts';
import { setUpProject } from './regions/region-contents.ts';
import { scopesOf } from './scopes.ts';
import { VERSION } from './version.ts';

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
  changes,
  video,
  webhookNetworks = [],
  prices = new Prices(),
  owners,
  streams,
  taskReads,
  sessions,
  engines: programs,
  node,
  requireSecondFactor,
  routes,
  watchdog,
}: Omit<AppOptions, 'rateLimit' | 'isReady' | 'checkResponses'> & {
  watcher: TaskWatcher;
  changes: ChangeWatcher;
  owners: RegionOwners;
  sessions: Sessions;
  /** Of all features together. */
  routes: () => readonly Route[];
  watchdog: () => TaskWatchdog;
}): readonly Feature[] {
  const { regionIds } = providers;
  const [addressesOf, networksOf] = [providers.of('addresses'), providers.of('networks')];
  const balancers = loadBalancers({
    db,
    log,
    clock,
    watcher,
    secrets: new SecretReader(cipher),
    providerOf: providers.of('loadBalancers'),
    addressesOf,
    regionIds,
    owners,
    prices,
  });
  const reads = new TaskReads(db, watcher);
  const disks = volumes({
    providerOf: providers.of('volumes'),
    typesOf: providers.volumeTypesOf,
    images: imageSource,
    tasks: reads,
    prices,
    db,
    clock,
    ids,
    log,
    regionIds,
  });
  const locationsOf = {
    s3: new Locations({
      db,
      providerOf: providers.of('objectStorage'),
      what: 'object storage',
      service: 'object_storage',
    }),
    sftp: new Locations({
      db,
      providerOf: providers.of('sftpStorage'),
      what: 'SFTP storage',
      service: 'sftp_storage',
    }),
  };
  const ofStorages = { tasks: reads, db, log, clock, ids, regionIds, owners };
  const ofObjectStorages = {
    ...ofStorages,
    locations: locationsOf.s3,
    sftpLocations: locationsOf.sftp,
    cipher,
    providerOf: providers.of('objectStorage'),
  };
  const all: readonly Feature[] = [
    iam({ db, clock, sessions, requireSecondFactor, sendsMail: mail.smtpUrl !== undefined }),
    clients({ insertProject: setUpProject, clock, ids, cipher, routes }),
    projects({ insertProject: setUpProject }),
    regions({ capabilitiesOf: providers.capabilitiesOf }),
    tasks({ watcher, changes, db, streams, reads: taskReads, watchdog }),
    inferenceSecrets({ cipher }),
    inferenceRegistryCredentials({ cipher }),
    quotas({ db, clock, ids, sendsMail: mail.smtpUrl !== undefined }),
    managedPostgresql({
      capabilitiesOf: providers.capabilitiesOf,
      cipher,
      tasks: reads,
      providerOf: providers.of('postgresql'),
      db,
      clock,
      log,
      regionIds,
      owners,
    }),
    simulation(),
    engines({ node: node.name, engines: () => programs.list().map(viewEngine) }),
    engineObjects(),
    capacity({ db, log, clock, regionIds, owners, providerOf: providers.of('capacity') }),
    sshKeys(),
    disks,
    serverGroups({ hasInstances: (id) => providers.offers(id, 'kvm') }),
    securityGroups({
      db,
      log,
      clock,
      regionIds,
      providerOf: providers.of('securityGroups'),
      tasks: reads,
      instances: instancesOfGroup,
    }),
    flavors({
      hasInstances: (id) => providers.offers(id, 'kvm'),
      offeredIn: (id) => providers.of('instances')(id)?.flavors,
      prices,
    }),
    images({ db, log, clock, regionIds, providerOf: providers.of('images') }),
    instances({
      db,
      log,
      clock,
      regionIds,
      providerOf: providers.of('instances'),
      addressesOf,
      networksOf,
      volumes: disks.instances,
      cipher,
      prices,
      tasks: reads,
    }),
    pricing({ prices, db, clock }),
    kubernetes({
      db,
      log,
      clock,
      ids,
      cipher,
      prices,
      regionIds,
      owners,
      balancers: balancers.managed,
      providerOf: providers.of('kubernetes'),
    }),
    secrets({ cipher, clock, findUsers: findSecretUsers }),
    balancers,
    floatingIps({
      providerOf: addressesOf,
      networksOf,
      carrier: balancers.carrier,
      instances: instanceSummaries,
      tasks: reads,
    }),
    networks({ providerOf: networksOf, routers: routersOfNetworks(addressesOf), tasks: reads }),
    routers({ providerOf: networksOf, addressesOf, tasks: reads }),
    networkReconcile({ db, log, clock, regionIds, providerOf: networksOf }),
    addressConversions({ providerOf: addressesOf }),
    ports({
      providerOf: networksOf,
      findSecurityGroups,
      tasks: reads,
      interfaces: portsAsInterfaces,
    }),
    reservedFixedIps({ providerOf: addressesOf, networksOf, owners }),
    responsePages(),
    storageNotifications({ db, clock }),
    objectStorage(ofObjectStorages),
    olderStorages(ofObjectStorages),
    sftpStorages({
      ...ofStorages,
      locations: locationsOf.sftp,
      providerOf: providers.of('sftpStorage'),
    }),
    webhooks({ db, clock, log, cipher, allowedNetworks: webhookNetworks, userAction: deliveredUserAction }),
    userActions({ cipher, allowedNetworks: webhookNetworks }),
    videoTokens(video),
    notifications({ db, clock }),
  ];
  return [...all, nodes(db, all), search(all), attention(all), projectMap(all)];
}

/** The API server and the worker of one node; neither is started. */
export class App {
  readonly features: readonly Feature[];
  readonly routes: readonly Route[];
  /** The handlers of every task type. */
  readonly handlers: readonly TaskHandler[];
  readonly engine: TaskEngine;
  readonly worker: Worker;
  readonly watchdog: TaskWatchdog;
  readonly background: Background;
  /** Which certificates in use have expired, or will soon. */
  readonly certificates: CertificateWatch;
  /** Notifies the other nodes that this one is alive. */
  readonly presence: Presence;
  #document: Record<string, unknown> | undefined;
  readonly #probes: readonly Route[];
  readonly #options: AppOptions;
  readonly #metrics: Metrics;
  readonly #watcher: TaskWatcher;
  readonly #changes: ChangeWatcher;
  readonly #authenticator: Authenticator;
  readonly #owners: RegionOwners;

  constructor(options: AppOptions) {
    this.#options = options;
    this.#watcher = new TaskWatcher(options.db);
    this.#changes = new ChangeWatcher(options.db);
    const owners = ownersOf(options, () => this.background.ownsMore());
    this.#owners = owners;
    const sessions = new Sessions(options);
    const all = features({
      ...options,
      watcher: this.#watcher,
      changes: this.#changes,
      owners,
      sessions,
      routes: () => this.routes,
      watchdog: () => this.watchdog,
    });
    this.features = all;
    this.#authenticator = authenticatorOf(options, sessions);
    const { role = 'all', db } = options;
    this.handlers = all.flatMap((feature) => feature.tasks ?? []);
    const onEnd: OnEnd = (type, state, seconds) => this.#metrics.observeTask(type, state, seconds);
    const { handlers } = this;
    const held = all.flatMap((feature) => feature.held ?? []);
    this.watchdog = new TaskWatchdog({ ...options, handlers, held, onEnd });
    const backlogs = [
      mailWaiting,
      this.watchdog.backlog,
      ...all.flatMap((feature) => feature.backlogs ?? []),
    ];
    const { clockWatch } = options;
    const clockOffMs = () => clockWatch?.offMs ?? 0;
    const droppedLines = () => options.logOutput?.dropped ?? 0;
    const sources = all.flatMap(({ certificates }) => certificates ?? []);
    this.certificates = new CertificateWatch({ ...options, sources });
    const { certificates } = this;
    this.#metrics = new Metrics({
      db,
      version: VERSION,
      role,
      backlogs,
      clockOffMs,
      droppedLines,
      certificates,
    });
    const name = `${options.node.name}:${process.pid}`;
    this.presence = new Presence({ ...options, name, role, version: VERSION });
    const clouds = () => options.providers.clouds();
    const now = () => options.clock.now().getTime();
    this.#probes = probeRoutes({
      metrics: this.#metrics,
      isReady: options.isReady,
      faults: () => (clockWatch?.isFarOff ? [clockWatch.note ?? ''] : []),
      notes: () =>
        [clockWatch?.note, db.room.note, ...owners.refused(), ...cloudNotes(clouds)].filter(
          (note) => note !== undefined,
        ),
      operatorMetrics: [
        () => ownersForPrometheus(db),
        async () => cloudsForPrometheus(clouds),
        ...all.flatMap(({ operatorMetrics }) => operatorMetrics ?? []),
      ],
      authenticator: this.#authenticator,
    });
    this.routes = [
      ...all.flatMap(({ routes = [], needs }) => routes.map((route) => ({ ...route, needs }))),
      ...this.#probes,
    ];
    this.engine = new TaskEngine({
      db: options.db,
      clock: options.clock,
      log: options.log,
      handlers: this.handlers,
      tracing: options.tracing,
      onEnd,
    });
    const mayClaim = () => !clockWatch?.isFarOff;
    this.worker = new Worker({ ...options, engine: this.engine, owners, mayClaim, name });
    const hooks = Object.assign({}, ...all.map((feature) => feature.mailSent ?? {}));
    const mailer = new Mailer({ ...options, ...options.mail, hooks });
    this.background = new Background(
      [
        ...all.flatMap((feature) => feature.background ?? []),
        ...mailer.jobs,
        credentialWatch(clouds, now, (what, says) => options.log.warn(what, says)),
        forgetOldKeys(options.db),
        forgetOldLimits(options.db, options.clock),
        forgetOldCounts(options.db, options.clock),
        this.watchdog.job,
        ...new Leftovers({ ...options, owned: options.providers.owned, owners }).jobs,
        monthsJob({ kept: KEPT_A_YEAR, ...options }),
        contractJob(options.db, VERSION),
      ],
      options.db,
      options.log,
    );
  }

  /** What OpenAPI says of the routes. */
  get document(): Record<string, unknown> {
    const all = this.features;
    this.#document ??= openApiDocument(this.routes, VERSION, {
      areas: Object.assign({}, ...all.map(({ areas }) => areas)),
      nameOf: new OperationNames(Object.assign({}, ...all.map(({ nouns }) => nouns))).of,
      meaningOf,
      examples: Object.assign({}, METADATA_EXAMPLES, ...all.map(({ examples }) => examples)),
    });
    return this.#document;
  }

  /** What a node without an API has: what probes ask about it. */
  probes(): Promise<FastifyInstance> {
    return this.#server(this.#probes);
  }

  #server(routes: readonly Route[]): Promise<FastifyInstance> {
    return buildApi({
      ...this.#options,
      authenticator: this.#authenticator,
      scopes: scopesOf({ ...this.#options, owners: this.#owners }),
      routes,
      session: () => this.presence.session,
      atOnce: this.worker,
      observe: (...seen) => this.#metrics.observeRequest(...seen),
    });
  }

  async api(): Promise<FastifyInstance> {
    const api = await this.#server(this.routes);
    // Long polls and streams end at once when the server stops.
    api.addHook('preClose', async () => {
      await Promise.all([this.#watcher.close(), this.#changes.close()]);
    });
    await serveReference(api, () => this.document);
    const { portal: folder, guide, ids, video, db, rateLimit } = this.#options;
    await servePassOn(api, {
      prefix: PASSED_ON,
      addressOf: (id) => storageAddress(db, id),
      isLimited: rateLimit > 0,
    });
    const media = video ? [new URL(video.cdnUrl).origin, new URL(video.cdnIpUrl).origin] : [];
    await servePortal(api, { folder, ids, media });
    await serveGuide(api, guide);
    return api;
  }
}

function ownersOf({ providers, ...options }: AppOptions, onClaimed: () => void): RegionOwners {
  const { owned } = providers;
  const everybodys = providers.regionIds().filter((id) => !owned.some((region) => region.id === id));
  return new RegionOwners({ ...options, owned, everybodys, onClaimed });
}

function authenticatorOf({ db, clock }: AppOptions, sessions: Sessions): Authenticator {
  return new Authenticator({
    db,
    now: () => clock.now().getTime(),
    bearer: sessions.bearer,
    cookie: sessions.cookie,
  });
}
