import { sql } from '../../../platform/database/sql.ts';
import type { Feature } from '../../../platform/feature.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { deprecatedPortRoutes } from './deprecated-routes.ts';
import { portExamples } from './examples.ts';
import { portRoutes } from './routes.ts';
import { type PortDeps, PortService, type PortsAsInterfaces } from './service.ts';
import { updatePortTask } from './tasks.ts';

export { desiredPort } from './desired.ts';
export {
  type AddressPair,
  type Device,
  type DeviceType,
  deviceOf,
  deviceText,
  type IpAssignment,
  type PortRow,
} from './model.ts';
export {
  PORTS_OF_NEW_LOAD_BALANCERS,
  PORTS_OF_NEWLY_RESERVED,
  PORTS_OF_UNRESERVED,
  portsOfGone,
} from './of-devices.ts';
export {
  closePorts,
  holdPort,
  type IpFamily,
  lockPortsOf,
  type OpenedPorts,
  openPortAt,
  openPorts,
  openPortWithout,
  type PortScope,
  type RequestedInterface,
  type RequestedPort,
} from './open.ts';
export { MOST_PAIRS } from './schema.ts';
export type { FindSecurityGroups, PortDeps, PortsAsInterfaces } from './service.ts';
export {
  allowAddress,
  disallowAddress,
  isHeldPort,
  lockPorts,
  PORT_ASSIGNMENTS,
  readOwnPortsIn,
  readPort,
  readPorts,
  readPortsOf,
  releasePort,
  SHOWN_PORT,
  setPortTags,
  setSecurityGroups,
} from './store.ts';

export interface PortFeatureDeps extends PortDeps {
  readonly tasks: TaskReads;
  readonly interfaces: PortsAsInterfaces;
}

export function ports(deps: PortFeatureDeps): Feature {
  const service = new PortService(deps);
  return {
    name: 'ports',
    nouns: { ports: 'Port' },
    examples: portExamples,
    needs: 'networks',
    searched: [
      {
        kind: 'port',
        table: 'ports',
        name: null,
        label:
          '(select host(a.address) from region_addresses a where a.owner_id = s.id order by a.address limit 1)',
        addresses: (begin) => sql`not s.reserved and s.id = any(array(${begin.owners}))`,
      },
    ],
    routes: [...portRoutes(service), ...deprecatedPortRoutes(service, deps)],
    tasks: [updatePortTask(deps.providerOf)],
  };
}
