import { zuluTime } from '../../kernel/codecs.ts';
import { viewMetadata, viewTags } from '../../platform/http/tags.ts';
import { hardwareOf } from '../flavors/index.ts';
import type { ShownInstance } from './list-store.ts';

interface FixedAddress {
  readonly addr: string;
  readonly type: 'fixed';
  readonly interface_name: string | null;
  readonly subnet_id?: string;
  readonly subnet_name?: string;
}
type Address = FixedAddress | { readonly addr: string; readonly type: 'floating' };
interface Assignment {
  readonly ip_address: string;
  readonly subnet_id: string;
  readonly external: boolean;
}
/** Where an instance can be reached. */
interface Reach {
  readonly addresses: Readonly<Record<string, readonly Address[]>>;
  readonly fixed: readonly Assignment[];
}

/** An instance as the wire shows it, with the older names of some fields beside the newer ones. */
export function viewInstance(row: ShownInstance, regionName: string, withInterfaceNames = false) {
  const { addresses, fixed } =
    row.cluster_id === null ? reachOf(row, withInterfaceNames) : reachOfNode(row, withInterfaceNames);
  const tags = viewTags(row.tags);
  return {
    id: row.id,
    instance_id: row.id,
    name: row.name,
    instance_name: row.name,
    instance_description: null,
    project_id: row.project_id,
    region_id: row.region_id,
    region: regionName,
    status: row.status,
    vm_state: row.vm_state,
    task_state: row.task_state,
    flavor: {
      flavor_id: row.flavor.id,
      flavor_name: row.flavor.id,
      architecture: row.flavor.architecture,
      os_type: row.flavor.osType,
      vcpus: row.flavor.vcpus,
      ram: row.flavor.ram,
      hardware_description: hardwareOf(row.flavor),
    },
    addresses,
    fixed_ip_assignments: fixed,
    security_groups: (row.cluster_id === null ? row.port_groups : row.security_groups).map((name) => ({
      name,
    })),
    ssh_key_name: row.ssh_key_name,
    volumes: row.cluster_id === null ? row.volumes : row.node_volumes,
    tags,
    metadata: viewMetadata(row.tags),
    metadata_detailed: tags,
    blackhole_ports: [],
    ddos_profile: null,
    instance_isolation: null,
    creator_task_id: row.creator_task_id,
    task_id: row.task_id,
    created_at: zuluTime(row.created_at),
    instance_created: zuluTime(row.created_at),
  };
}

/** Its addresses by network, the floating ones beside those that they lead to. */
function reachOf({ interfaces }: ShownInstance, withNames: boolean): Reach {
  const addresses: Record<string, Address[]> = {};
  const fixed: Assignment[] = [];
  for (const each of interfaces) {
    const interface_name = withNames ? each.name : null;
    const own = each.addresses.map(({ address, subnet_id, subnet_name }): Address => {
      fixed.push({ ip_address: address, subnet_id, external: each.external });
      return { addr: address, type: 'fixed', interface_name, subnet_id, subnet_name };
    });
    const floating = each.floating.map((addr): Address => ({ addr, type: 'floating' }));
    addresses[each.network_name] = [...(addresses[each.network_name] ?? []), ...own, ...floating];
  }
  return { addresses, fixed };
}

/** Nodes have their addresses from their cluster. */
function reachOfNode(row: ShownInstance, withNames: boolean): Reach {
  const { private_ip, public_ip, network_name, subnet_id } = row;
  if (private_ip === null || network_name === null || subnet_id === null) return { addresses: {}, fixed: [] };
  const interface_name = withNames ? 'eth0' : null;
  const inside = {
    addr: private_ip,
    type: 'fixed',
    interface_name,
    subnet_id,
    subnet_name: network_name,
  } as const;
  const isPublic = public_ip !== null;
  return {
    addresses: {
      [network_name]: [inside],
      ...(isPublic ? { public: [{ addr: public_ip, type: 'fixed', interface_name }] } : {}),
    },
    fixed: [
      { ip_address: private_ip, subnet_id, external: false },
      ...(isPublic ? [{ ip_address: public_ip, subnet_id, external: true }] : []),
    ],
  };
}
