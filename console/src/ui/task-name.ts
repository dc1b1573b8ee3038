import type { Schemas } from '../api/client.ts';

/** The parts of task types that are written otherwise by people. */
const WORDS: Readonly<Record<string, string>> = {
  loadbalancer: 'load balancer',
  lblistener: 'listener',
  lbpool: 'pool',
  lbmember: 'member',
  l7policy: 'L7 policy',
  l7rule: 'L7 rule',
  fip: 'floating IP',
  vm: 'instance',
  k8s: 'Kubernetes',
  v2: '',
  sg: 'security group',
  dbaas: '',
  postgres: 'PostgreSQL',
};

/** `create_loadbalancer` as people say it: `Create load balancer`. */
export function taskName(task: Pick<Schemas['Task'], 'task_type'>): string {
  const text = task.task_type
    .split('_')
    .map((word) => WORDS[word] ?? word)
    .filter(Boolean)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
