import { rmSync } from 'node:fs';
import { newFolder } from '../../../../../../test/harness/leftovers.ts';
import type { DesiredLoadBalancer, ObservedLoadBalancer } from '../../../../features/load-balancers/port.ts';
import type { Operation } from '../../../../kernel/operation.ts';
import type { MemberNetworks } from '../../addresses/member-networks.ts';
import { LocalAddresses } from '../../addresses/provider.ts';
import type { LogCollector } from '../access-logs/collector.ts';
import {
  createLocalLoadBalancers,
  type LocalLoadBalancers,
  type LocalLoadBalancersOptions,
} from '../provider.ts';

export interface TestProvider {
  readonly provider: LocalLoadBalancers;
  readonly addresses: LocalAddresses;
  readonly dataDir: string;
  /** Messages that were logged as warnings. */
  readonly warnings: string[];
  apply(desired: DesiredLoadBalancer): Promise<void>;
  observe(id: string): Promise<ObservedLoadBalancer>;
  /** With these as all that there are. */
  reconcile(all: readonly DesiredLoadBalancer[]): Promise<void>;
  /** As after a `kill -9` of the server: the processes live on, a new server comes. */
  restart(networks?: MemberNetworks): TestProvider;
  /** Ends all processes, gives the addresses back and removes the data directory. */
  close(): Promise<void>;
}

export const operation = (type = 'create_loadbalancer', key = 'task'): Operation => ({
  key,
  type,
  name: 'test',
  acceptedAt: new Date(0),
});

/** A provider with a data directory of its own. */
export function startProvider(
  dataDir = newFolder('lb'),
  collectorOf?: (regionId: number) => LogCollector | undefined,
  networks?: MemberNetworks,
  fence?: LocalLoadBalancersOptions['fence'],
): TestProvider {
  const warnings: string[] = [];
  const log = {
    info: () => undefined,
    warn: (_: object, message: string) => {
      warnings.push(message);
    },
  };
  const addresses = new LocalAddresses({
    dataDir,
    log,
    inUse: () => provider.addresses(),
    ...(fence && { fence }),
  });
  const provider: LocalLoadBalancers = createLocalLoadBalancers({
    dataDir,
    addresses,
    log,
    instanceId: 'test',
    ...(collectorOf && { collectorOf }),
    ...(networks && { memberNetworks: networks }),
    ...(fence && { fence }),
  });
  return {
    provider,
    addresses,
    dataDir,
    warnings,
    apply: async (desired) => {
      await provider.apply(desired, operation());
    },
    observe: async (id) => {
      const observed = (await provider.observe([id])).get(id);
      if (!observed) throw new Error(`load balancer ${id} is not running`);
      return observed;
    },
    reconcile: (all) => {
      const byId = new Map(all.map((each) => [each.id, each]));
      return provider.reconcile(all, async (id) => byId.get(id) ?? null);
    },
    restart: (changed = networks) => {
      // A dead server does not close anything; its timers are all that would go on in this process.
      void provider.close('leave');
      return startProvider(dataDir, collectorOf, changed);
    },
    close: async () => {
      await provider.close('forget');
      await addresses.claims.release();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
