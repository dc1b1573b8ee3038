import { zuluTime } from '../../kernel/codecs.ts';
import { viewMetadata, viewTags } from '../../platform/http/tags.ts';
import { hardwareOf } from '../flavors/index.ts';
import type { InstanceRow } from './store.ts';

/** An instance as the wire shows it, with the older names of some fields beside the newer ones. */
export function viewInstance(row: InstanceRow, regionName: string, withInterfaceNames = false) {
  const interfaceName = withInterfaceNames ? 'eth0' : null;
  const fixed = (addr: string) => ({ addr, type: 'fixed', interface_name: interfaceName });
  const inside = { ...fixed(row.private_ip), subnet_id: row.subnet_id, subnet_name: row.network_name };
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
    task_state: null,
    flavor: {
      flavor_id: row.flavor.id,
      flavor_name: row.flavor.id,
      architecture: row.flavor.architecture,
      os_type: row.flavor.osType,
      vcpus: row.flavor.vcpus,
      ram: row.flavor.ram,
      hardware_description: hardwareOf(row.flavor),
    },
    addresses: {
      [row.network_name]: [inside],
      ...(row.public_ip === null ? {} : { public: [fixed(row.public_ip)] }),
    },
    fixed_ip_assignments: [
      { ip_address: row.private_ip, subnet_id: row.subnet_id, external: false },
      ...(row.public_ip === null
        ? []
        : [{ ip_address: row.public_ip, subnet_id: row.subnet_id, external: true }]),
    ],
    security_groups: row.security_groups.map((name) => ({ name })),
    ssh_key_name: row.ssh_key_name,
    volumes: row.volumes,
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
