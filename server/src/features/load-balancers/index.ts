import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Feature } from '../../platform/feature.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import type { TaskWatcher } from '../../platform/tasks/watch.ts';
import type { AddressProvider } from '../networking/addresses/index.ts';
import type { Carrier } from '../networking/floating-ips/index.ts';
import type { SecretReader } from '../secrets/index.ts';
import { TaskReads } from '../tasks/index.ts';
import { accessLogRoutes } from './access-log/routes.ts';
import { balancersInNeed } from './attention.ts';
import { loadBalancerCarrier } from './carrier.ts';
import { certificatesInUse } from './certificates-in-use.ts';
import { DataPlanes, type Owners } from './data-planes.ts';
import { olderRoutes } from './deprecated-routes.ts';
import { loadBalancerExamples } from './examples.ts';
import { healthMonitorRoutes } from './health-monitors/routes.ts';
import { HealthMonitorService } from './health-monitors/service.ts';
import { policyRoutes } from './l7-policies/routes.ts';
import { ruleRoutes } from './l7-policies/rule-routes.ts';
import { L7RuleService } from './l7-policies/rule-service.ts';
import { L7PolicyService } from './l7-policies/service.ts';
import { listenerRoutes } from './listeners/routes.ts';
import { ListenerService } from './listeners/service.ts';
import { ManagedLoadBalancers } from './managed.ts';
import { mapOfBalancers } from './map.ts';
import { memberRoutes } from './members/routes.ts';
import { MemberService } from './members/service.ts';
import { countersForPrometheus } from './metrics/prometheus.ts';
import { metricsRoutes } from './metrics/routes.ts';
import { Sampler } from './metrics/sampler.ts';
import { LoadBalancerMetrics } from './metrics/service.ts';
import { Observer } from './observe.ts';
import { operationRoutes } from './operations/routes.ts';
import { LoadBalancerOperations } from './operations/service.ts';
import { operatorRoutes } from './operators/routes.ts';
import { HELD } from './parts/kinds.ts';
import { PartService } from './parts/service.ts';
import { poolRoutes } from './pools/routes.ts';
import { PoolService } from './pools/service.ts';
import type { LoadBalancerProvider } from './port.ts';
import { Reconciler } from './reconcile.ts';
import { loadBalancerRoutes } from './routes.ts';
import { LoadBalancerService } from './service.ts';
import { loadBalancerTasks } from './tasks/index.ts';
import { TreeCache } from './tree-cache.ts';

export { DEFAULT_FLAVOR, flavorNamed } from './flavors.ts';
export { type ManagedListener, ManagedLoadBalancers } from './managed.ts';
export type { LoadBalancerTree } from './model.ts';
export type { LoadBalancerProvider } from './port.ts';
export { findSecretUsers } from './secret-uses.ts';
export { lookAnewAtLoadBalancers } from './store.ts';

export interface LoadBalancerDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: Clock;
  readonly watcher: TaskWatcher;
  readonly secrets: SecretReader;
  providerOf(regionId: number): LoadBalancerProvider | undefined;
  addressesOf(regionId: number): AddressProvider | undefined;
  regionIds(): readonly number[];
  readonly owners: Owners;
  readonly prices: Prices;
}

const RECONCILE_EVERY_MS = 2000;
const OBSERVE_EVERY_MS = 500;
const SAMPLE_EVERY_MS = 60_000;

export interface LoadBalancers extends Feature {
  readonly carrier: Carrier;
  readonly managed: ManagedLoadBalancers;
}

export function loadBalancers(deps: LoadBalancerDeps): LoadBalancers {
  const { db, log } = deps;
  const providers = new DataPlanes({
    providerOf: (id) => deps.providerOf(id),
    addressesOf: (id) => deps.addressesOf(id),
    regionIds: () => deps.regionIds(),
    now: () => deps.clock.now().getTime(),
    secrets: deps.secrets,
    owners: deps.owners,
  });
  const parts = new PartService(providers);
  const tasks = new TaskReads(db, deps.watcher);
  const balancers = new LoadBalancerService(providers);
  const listeners = new ListenerService(parts);
  const pools = new PoolService(parts);
  const members = new MemberService(parts);
  const reconciler = new Reconciler(db, providers, log);
  const observer = new Observer(db, providers, new TreeCache(db), log);
  const sampler = new Sampler(db, deps.clock, providers, log);
  return {
    name: 'load-balancers',
    areas: {
      'Load balancers': 'Load balancers and what they are made of.',
      'Load balancer listeners': 'Ports that load balancers listen on.',
      'Load balancer pools': 'Servers that share the traffic of listeners, and the checks of their health.',
      'Load balancer pool members': 'The servers of a pool, one by one.',
      'Load balancer L7 policies': 'What is done with requests of which path, host or header.',
    },
    nouns: {
      healthmonitor: 'HealthMonitor',
      l7policies: ['L7Policy', 'L7Policies'],
      lbflavors: 'LoadBalancerFlavor',
      lblisteners: 'Listener',
      lbpools: 'Pool',
      loadbalancers: 'LoadBalancer',
      member: 'Member',
      members: 'Member',
      pools: 'Pool',
      rules: 'Rule',
    },
    examples: loadBalancerExamples,
    needs: 'loadBalancers',
    operatorMetrics: () => countersForPrometheus(db, providers),
    certificates: certificatesInUse,
    carrier: loadBalancerCarrier(providers),
    attention: balancersInNeed,
    mapped: mapOfBalancers,
    searched: [
      {
        kind: 'load_balancer',
        table: 'load_balancers',
        status: `case s.provisioning_status when 'ACTIVE' then s.operating_status else s.provisioning_status end`,
        tags: true,
        addresses: (begin) =>
          sql`${begin.inColumn('s.vip_address')} or ${begin.inColumn('s.additional_address')}`,
      },
    ],
    managed: new ManagedLoadBalancers({ balancers, listeners, pools, members }),
    routes: [
      ...loadBalancerRoutes(balancers, deps.prices),
      ...listenerRoutes(listeners),
      ...poolRoutes(pools),
      ...olderRoutes({ balancers, listeners, pools, tasks }),
      ...memberRoutes(members),
      ...healthMonitorRoutes(new HealthMonitorService(parts, tasks)),
      ...policyRoutes(new L7PolicyService(parts)),
      ...ruleRoutes(new L7RuleService(parts, providers)),
      ...operationRoutes(new LoadBalancerOperations(providers)),
      ...operatorRoutes,
      ...metricsRoutes(new LoadBalancerMetrics(providers)),
      ...accessLogRoutes(providers),
    ],
    tasks: loadBalancerTasks(providers),
    held: HELD,
    // What is not exclusive works on the regions that this node owns, each of which is nobody else's.
    background: [
      {
        name: 'load-balancers-reconcile',
        everyMs: RECONCILE_EVERY_MS,
        exclusive: false,
        beforeReady: true,
        afterTakeOver: true,
        run: () => reconciler.run(),
      },
      {
        name: 'load-balancers-observe',
        everyMs: OBSERVE_EVERY_MS,
        exclusive: false,
        run: () => observer.run(),
      },
      {
        name: 'load-balancers-sample',
        everyMs: SAMPLE_EVERY_MS,
        exclusive: false,
        run: () => sampler.run(),
      },
    ],
  };
}
