import type { Feature } from '../../platform/feature.ts';
import { portRoutes } from './routes.ts';
import { type PortDeps, PortService } from './service.ts';
import { updatePortTask } from './tasks.ts';

export {
  type AddressPair,
  type Device,
  type DeviceType,
  deviceOf,
  deviceText,
  type IpAssignment,
  macAddressOf,
  type PortRow,
} from './model.ts';
export {
  closePorts,
  holdPort,
  type IpFamily,
  lockPortsOf,
  type OpenedPorts,
  openPortAt,
  openPorts,
  type PortScope,
  type WantedInterface,
  type WantedPort,
} from './open.ts';
export { MOST_PAIRS } from './schema.ts';
export type { FindSecurityGroups, PortDeps } from './service.ts';
export {
  allowAddress,
  disallowAddress,
  isHeldPort,
  lockPorts,
  PORT_ASSIGNMENTS,
  PORT_COLUMNS,
  readPort,
  readPortsOf,
  releasePort,
  setPortTags,
  setSecurityGroups,
} from './store.ts';

export function ports(deps: PortDeps): Feature {
  return {
    name: 'ports',
    needs: 'networks',
    routes: portRoutes(new PortService(deps)),
    tasks: [updatePortTask(deps.providerOf)],
  };
}
