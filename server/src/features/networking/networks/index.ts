import type { Feature } from '../../../platform/feature.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { deprecatedNetworkRoutes, deprecatedSubnetRoutes } from './deprecated-routes.ts';
import { egressRoutes } from './egress.ts';
import { networkExamples } from './examples.ts';
import { mapOfNetworks } from './map.ts';
import { networkRoutes } from './routes.ts';
import { type NetworkDeps, NetworkService } from './service.ts';
import { subnetRoutes } from './subnets/routes.ts';
import { SubnetService } from './subnets/service.ts';
import { createSubnetTask, deleteSubnetTask } from './subnets/tasks.ts';
import { createNetworkTask, deleteNetworkTask, updateNetworkTask } from './tasks.ts';

export {
  type AddressSubnet,
  EXTERNAL_SUBNET_OF,
  findSubnet,
  findSubnets,
  type IpFamily,
  readAddressesInUse,
  readSource,
  requireSubnets,
  spaceOf,
  WHOLE_REGION,
} from './address-subnets.ts';
export { allocateAddress } from './allocate.ts';
export { applyAtOnce } from './at-once.ts';
export { desiredSubnet } from './desired.ts';
export { NetworkDetails, readNetworkDetails, readSubnetViews } from './details.ts';
export { addExternalNetworks } from './external.ts';
export type {
  Applied,
  DesiredFloatingIp,
  DesiredNoun,
  DesiredPort,
  DesiredRouter,
  Drift,
  NetworkProvider,
  Noun,
  PortTraffic,
} from './port.ts';
export type { NetworkRouters } from './routers.ts';
export { Network } from './schema.ts';
export type { NetworkDeps } from './service.ts';
export { readExternalNetwork, readNetworks, readNetworksIn } from './store.ts';
export { Subnet } from './subnets/schema.ts';
export { isGiven as isGivenIn, readSubnets, readSubnetsIn } from './subnets/store.ts';
export { viewNetwork } from './views.ts';

export function networks(deps: NetworkDeps & { readonly tasks: TaskReads }): Feature {
  const service = new NetworkService(deps);
  const subnets = new SubnetService(deps);
  return {
    name: 'networks',
    areas: { Networks: 'Private networks, their subnets, ports and reserved addresses.' },
    nouns: { availablenetworks: 'AvailableNetwork', networks: 'Network', subnets: 'Subnet' },
    examples: networkExamples,
    needs: 'networks',
    mapped: mapOfNetworks,
    searched: [
      { kind: 'network', table: 'networks', tags: true },
      { kind: 'subnet', table: 'subnets', label: `s.name || ' ' || s.cidr`, tags: true },
    ],
    routes: [
      ...networkRoutes(service),
      ...subnetRoutes(subnets),
      ...egressRoutes,
      ...deprecatedNetworkRoutes(service, deps.tasks),
      ...deprecatedSubnetRoutes(subnets),
    ],
    tasks: [
      createNetworkTask(deps),
      updateNetworkTask(),
      deleteNetworkTask(deps),
      createSubnetTask(deps),
      deleteSubnetTask(deps),
    ],
  };
}
