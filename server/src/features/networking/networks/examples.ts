import { type Examples, SAMPLE } from '../../../platform/openapi/examples.ts';

export const networkExamples: Examples = {
  CreateNetwork: { name: 'shop', type: 'vxlan', create_router: true, tags: { environment: 'production' } },
  UpdateNetwork: { name: 'shop-backend', tags: { environment: 'staging' } },
  CreateSubnet: {
    name: 'web',
    network_id: SAMPLE.network,
    cidr: '192.168.20.0/24',
    gateway_ip: '192.168.20.1',
    dns_nameservers: ['192.0.2.53'],
    host_routes: [{ destination: '10.20.0.0/16', nexthop: '192.168.20.254' }],
  },
  UpdateSubnet: { name: 'web-1', dns_nameservers: ['192.0.2.53', '198.51.100.53'] },
};
