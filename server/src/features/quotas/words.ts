/** What the API's names call otherwise than people do. */
const WORDS: Readonly<Record<string, string>> = {
  cluster: 'Kubernetes clusters',
  cpu: 'CPUs',
  dbaas_postgres_cluster: 'PostgreSQL clusters',
  firewall: 'security groups',
  floating: 'floating IPs',
  keypair: 'SSH keys',
  loadbalancer: 'load balancers',
  ram: 'memory in MiB',
  servergroup: 'server groups',
  vm: 'instances',
  volume_size: 'volumes in GiB',
};

/** A quota as mails name it: `security groups` for `firewall_count`. */
export function quotaWords(name: string): string {
  const short = name.replace(/_count$/, '');
  const plain = short.replaceAll('_', ' ');
  return WORDS[short] ?? (short === name || plain.endsWith('s') ? plain : `${plain}s`);
}
