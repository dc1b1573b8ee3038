import { sql } from '../../../platform/database/sql.ts';
import type { Feature } from '../../../platform/feature.ts';
import { deviceRoutes } from './devices/routes.ts';
import { DeviceService } from './devices/service.ts';
import { reservedFixedIpExamples } from './examples.ts';
import { reservedIpRoutes } from './routes.ts';
import { type ReservedIpDeps, ReservedIpService } from './service.ts';
import { createReservedIpTask, deleteReservedIpTask } from './tasks.ts';

export { type ClaimedAddress, claimReservedIp, RESERVED_ADDRESS_OF_LB } from './claim.ts';
export { becomeReservedIp, dropReservedIp, offerReservedIp } from './convert.ts';
export { CreateReservedFixedIp } from './schema.ts';
export type { ReservedIpDeps } from './service.ts';
export { releaseReservedIps } from './store.ts';
export { dropReservedIps, holdReservedIps } from './with-device.ts';

export function reservedFixedIps(deps: ReservedIpDeps): Feature {
  return {
    name: 'reserved-fixed-ips',
    nouns: {
      available_devices: 'AvailableDevice',
      connected_devices: 'ConnectedDevice',
      reserved_fixed_ips: 'ReservedFixedIp',
    },
    examples: reservedFixedIpExamples,
    needs: 'addresses',
    searched: [
      {
        kind: 'reserved_fixed_ip',
        table: 'reserved_fixed_ips',
        id: 'port_id',
        label: `coalesce(host(s.ip_address), s.name)`,
        addresses: (begin) => sql`s.port_id = any(array(${begin.owners}))`,
      },
    ],
    routes: [...reservedIpRoutes(new ReservedIpService(deps)), ...deviceRoutes(new DeviceService())],
    tasks: [createReservedIpTask(deps), deleteReservedIpTask(deps)],
  };
}
