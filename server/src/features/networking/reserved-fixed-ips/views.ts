import { offsetTime } from '../../../kernel/codecs.ts';
import type { viewNetwork } from '../networks/index.ts';
import type { ReservedIpRow } from './model.ts';

/** What of a reserved fixed IP is shown. */
export function viewReservedIp(row: ReservedIpRow, region: string, network: ReturnType<typeof viewNetwork>) {
  const { v4, v6 } = assignmentsOf(row);
  const user = row.device_id;
  const kind = row.device_type?.replace('_', '') ?? null;
  return {
    port_id: row.port_id,
    project_id: row.project_id,
    region_id: row.region_id,
    region,
    name: row.name,
    status: user === null ? 'DOWN' : 'ACTIVE',
    fixed_ip_address: v4?.address ?? null,
    fixed_ipv6_address: v6?.address ?? null,
    subnet_id: v4?.subnetId ?? null,
    subnet_v6_id: v6?.subnetId ?? null,
    network_id: row.network_id,
    network,
    is_external: row.is_external,
    is_vip: row.is_vip,
    reservation: {
      resource_id: user,
      resource_type: kind,
      status: user === null && !row.is_vip ? 'available' : 'attached',
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

/** What it has of each IP version. */
function assignmentsOf(row: ReservedIpRow) {
  const first = { address: row.ip_address, subnetId: row.subnet_id };
  if (row.additional_subnet_id !== null) {
    return { v4: first, v6: { address: row.additional_address, subnetId: row.additional_subnet_id } };
  }
  return row.ip_version === 6 ? { v6: first } : { v4: first };
}
