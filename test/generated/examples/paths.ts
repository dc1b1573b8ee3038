import type { Spec } from '../operations.ts';
import type { World } from './world.ts';

/** What a parameter of a path names, where that does not depend on the path. */
const THINGS: Readonly<Record<string, string>> = {
  notification_id: 'notification',
  network_id: 'network',
  subnet_id: 'subnet',
  router_id: 'router',
  floating_ip_id: 'floatingIp',
  group_id: 'group',
  rule_id: 'groupRule',
  image_id: 'image',
  instance_id: 'instance',
  volume_id: 'volume',
  snapshot_id: 'snapshot',
  policy_id: 'lifecyclePolicy',
  load_balancer_id: 'loadBalancer',
  listener_id: 'listener',
  pool_id: 'pool',
  member_id: 'member',
  l7policy_id: 'policy',
  l7rule_id: 'rule',
  ssh_key_id: 'sshKey',
  keypair_id: 'sshKey',
  schedule_id: 'schedule',
  storage_id: 'storage',
  name: 'bucket',
  bucket_name: 'bucket',
};
const FIXED: Readonly<Record<string, string>> = {
  region_id: '2',
  client_id: '1',
  clientId: '1',
  userId: '1',
  storage_name: 'shop-media',
  pool_name: 'workers',
};

/** Whether the world knows such a thing, or each example makes its own. */
export const isKnown = (name: string) => name in THINGS || name in FIXED || name === 'cluster_name';

/** The path of an operation, filled with things of the world. */
export async function pathOf(spec: Spec, world: World, own: Readonly<Record<string, string>> = {}) {
  let path = spec.path;
  for (const [part, name = ''] of spec.path.matchAll(/\{(\w+)\}/g)) {
    path = path.replace(part, own[name] ?? FIXED[name] ?? (await thing(spec, world, name)));
  }
  return path;
}

/** Older calls name storages of both kinds alike; these have examples for SFTP. */
const isOlderOfSftp = (path: string) =>
  path.startsWith('/storage/provisioning/') && !path.includes('/s3/') && !path.endsWith('/restore');

async function thing({ path }: Spec, world: World, name: string): Promise<string> {
  if (name === 'project_id') return String(world.project);
  if (name === 'port_id') return world.get(path.includes('reserved_fixed_ips') ? 'reservedPort' : 'port');
  if (name === 'cluster_name') return world.get(path.includes('dbaas') ? 'postgresql' : 'cluster');
  if (name === 'storage_id' && (path.includes('sftp_storages') || isOlderOfSftp(path)))
    return world.get('sftpStorage');
  if (name === 'key_id') return world.get('storageSshKey');
  if (name === 'ssh_key_id' && path.startsWith('/storage/')) return world.get('storageSshKey');
  return world.get(THINGS[name] ?? name);
}
