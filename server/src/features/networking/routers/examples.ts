import { type Examples, SAMPLE, several } from '../../../platform/openapi/examples.ts';

const routes = [{ destination: '10.20.0.0/16', nexthop: '192.168.10.254' }];

export const routerExamples: Examples = {
  CreateRouter: several({
    'With a way to the internet': {
      name: 'shop',
      external_gateway_info: { type: 'default', enable_snat: true },
      interfaces: [{ type: 'subnet', subnet_id: SAMPLE.subnet }],
    },
    'Between networks alone': { name: 'shop-internal' },
  }),
  OlderUpdateRouter: { name: 'shop-1', routes },
  UpdateRouter: { name: 'shop-1', routes },
  AttachSubnet: { subnet_id: SAMPLE.subnet, ip_address: '192.168.10.2' },
  DetachSubnet: { subnet_id: SAMPLE.subnet },
  RouterMetricsWindow: { time_interval: 6, time_unit: 'hour' },
};
