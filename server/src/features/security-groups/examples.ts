import { type Examples, SAMPLE } from '../../platform/openapi/examples.ts';

const https = {
  direction: 'ingress',
  ethertype: 'IPv4',
  protocol: 'tcp',
  port_range_min: 443,
  port_range_max: 443,
  remote_ip_prefix: '0.0.0.0/0',
  description: 'HTTPS from everywhere',
};
const ssh = {
  direction: 'ingress',
  ethertype: 'IPv4',
  protocol: 'tcp',
  port_range_min: 22,
  port_range_max: 22,
  remote_ip_prefix: '198.51.100.0/24',
  description: 'SSH from the office',
};

export const securityGroupExamples: Examples = {
  CreateSecurityGroup: {
    name: 'shop-web',
    description: 'Instances that serve the shop',
    rules: [https, ssh],
  },
  UpdateSecurityGroup: { description: 'Instances that serve the shop and its API', rules: [https] },
  CreateSecurityGroupRule: ssh,
  CopySecurityGroup: { name: 'shop-web-copy' },
  OlderCreateSecurityGroup: {
    security_group: {
      name: 'shop-web',
      description: 'Instances that serve the shop',
      security_group_rules: [https],
    },
  },
  ReviseSecurityGroup: {
    name: 'shop-api',
    changed_rules: [
      { action: 'create', ...ssh },
      { action: 'delete', security_group_rule_id: SAMPLE.groupRule },
    ],
  },
};
