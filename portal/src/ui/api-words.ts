/** The parts of the API's names that are written otherwise by people. */
const WORDS: Readonly<Record<string, string>> = {
  loadbalancer: 'load balancer',
  lb: '',
  lblistener: 'listener',
  lbpool: 'pool',
  lbmember: 'member',
  l7policy: 'L7 policy',
  l7rule: 'L7 rule',
  securitygroup: 'security group',
  securitygrouprule: 'security group rule',
  sg: 'security group',
  servergroup: 'server group',
  floatingip: 'floating IP',
  fip: 'floating IP',
  ip: 'IP',
  ssh: 'SSH',
  keypair: 'SSH key',
  vm: 'instance',
  k8s: 'Kubernetes',
  patch: 'change',
  v2: '',
  dbaas: '',
  postgres: 'PostgreSQL',
  postgresql: 'PostgreSQL',
  sftp: 'SFTP',
};

/** `create_loadbalancer` as people say it: `Create load balancer`. */
export function apiWords(name: string): string {
  const text = name
    .replace('inference_at_the_edge', 'inference_secret')
    .split('_')
    .map((word) => WORDS[word] ?? word)
    .filter(Boolean)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
