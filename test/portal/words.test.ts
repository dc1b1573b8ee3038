import { expect, test } from 'vitest';
import { quotaName } from '../../portal/src/pages/quotas/names.ts';
import { apiWords } from '../../portal/src/ui/api-words.ts';

test.each([
  ['volume_snapshots_count', 'volume snapshots'],
  ['volume_snapshots_size', 'volume snapshots in GiB'],
  ['gpu_virtual_h100_count', 'GPU virtual H100s'],
  ['inference_gpu_l40s_count', 'inference GPU L40S'],
  ['vm_count', 'instances'],
  ['image_count', 'images'],
])('the quota %s is called %s', (name, words) => {
  expect(quotaName(name)).toBe(words);
});

test.each([
  ['create_loadbalancer', 'Create load balancer'],
  ['create_lb_l7policy', 'Create L7 policy'],
  ['create_securitygrouprule', 'Create security group rule'],
  ['activate_dbaas_postgres', 'Activate PostgreSQL'],
  ['create_floating_ip', 'Create floating IP'],
  ['create_reserved_fixed_ip', 'Create reserved fixed IP'],
  ['create_inference_at_the_edge', 'Create inference secret'],
  ['upgrade_k8s_cluster', 'Upgrade Kubernetes cluster'],
])('%s is said as %s', (name, words) => {
  expect(apiWords(name)).toBe(words);
});
