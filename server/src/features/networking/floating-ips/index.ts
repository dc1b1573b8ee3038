import { sql } from '../../../platform/database/sql.ts';
import type { Feature } from '../../../platform/feature.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { deprecatedFloatingIpRoutes } from './deprecated-routes.ts';
import { floatingIpExamples } from './examples.ts';
import { mapOfFloatingIps } from './map.ts';
import { floatingIpRoutes } from './routes.ts';
import { type FloatingIpDeps, FloatingIpService } from './service.ts';
import { createFloatingIpTask, deleteFloatingIpTask, updateFloatingIpTask } from './tasks/handlers.ts';

export {
  type AttachTo,
  addressAttached,
  adoptFloatingIps,
  attachFloatingIp,
  dropAttached,
  type NewAssignment,
  releaseAttached,
  settleAttached,
} from './attach.ts';
export type { Carrier, CarrierRef, InstanceSummaries, Settle } from './carrier.ts';
export {
  becomeFloatingIp,
  type ConvertedAddress,
  dropFloatingIp,
  keepFloatingIp,
  offerFloatingIp,
} from './convert.ts';
export { desiredFloatingIp } from './desired.ts';
export { freeFloatingIps, holdFloatingIpsOf, viewFloatingIpsOf } from './of-ports.ts';
export {
  type CarriedFloatingIps,
  FLOATING_ADDRESSES_OF_LB,
  FLOATING_IPS_OF_LB,
  viewCarried,
} from './on-load-balancers.ts';
export { FloatingIp, FloatingIpChoice } from './schema.ts';
export type { FloatingIpDeps } from './service.ts';
export { readFloatingIps, readFloatingIpsIn } from './store.ts';
export { floatingIpsOfPorts } from './views.ts';

export function floatingIps(deps: FloatingIpDeps & { readonly tasks: TaskReads }): Feature {
  const service = new FloatingIpService(deps);
  return {
    name: 'floating-ips',
    areas: { 'Floating IPs': 'Addresses that are kept, and moved from one port to another.' },
    nouns: { floatingips: 'FloatingIp' },
    examples: floatingIpExamples,
    needs: 'addresses',
    mapped: mapOfFloatingIps,
    searched: [
      {
        kind: 'floating_ip',
        table: 'floating_ips',
        name: null,
        label: 'host(s.floating_ip_address)',
        status: 's.status',
        tags: true,
        addresses: (begin) => sql`s.id = any(array(${begin.owners}))`,
      },
    ],
    routes: [...floatingIpRoutes(service, deps), ...deprecatedFloatingIpRoutes(service, deps.tasks)],
    tasks: [createFloatingIpTask(deps), updateFloatingIpTask(deps), deleteFloatingIpTask(deps)],
  };
}
