import { offsetTime } from '../../kernel/codecs.ts';
import type { viewNetwork } from '../networks/index.ts';
import type { ReservedIpRow } from './model.ts';

/** What of a reserved fixed IP is shown. */
export function viewReservedIp(row: ReservedIpRow, region: string, network: ReturnType<typeof viewNetwork>) {
  const v6 = row.ip_address?.includes(':') ?? false;
  const user = row.device_id;
  const kind = row.device_type?.replace('_', '') ?? null;
  return {
    port_id: row.port_id,
    project_id: row.project_id,
    region_id: row.region_id,
    region,
    name: row.name,
    status: user === null ? 'DOWN' : 'ACTIVE',
    fixed_ip_address: v6 ? null : row.ip_address,
    fixed_ipv6_address: v6 ? row.ip_address : null,
    subnet_id: v6 ? null : row.subnet_id,
    subnet_v6_id: v6 ? row.subnet_id : null,
    network_id: row.network_id,
    network,
    is_external: row.is_external,
    is_vip: row.is_vip,
    reservation: {
      resource_id: user,
      resource_type: kind,
      status: user === null && row.shared_by.length === 0 ? 'available' : 'in_use',
    },
    attachments: [
      ...(user === null ? [] : [{ resource_id: user, resource_type: kind }]),
      ...row.shared_by.map((resource_id) => ({ resource_id, resource_type: 'instance' })),
    ],
    allowed_address_pairs: row.allowed_address_pairs.map(({ ip_address }) => ({
      ip_address,
      mac_address: null,
    })),
    task_id: row.task_id,
    creator_task_id: row.creator_task_id,
    created_at: offsetTime(row.created_at),
    updated_at: offsetTime(row.updated_at),
  };
}
