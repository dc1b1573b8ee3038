import { type Examples, SAMPLE, several } from '../../../platform/openapi/examples.ts';

export const reservedFixedIpExamples: Examples = {
  CreateReservedFixedIp: several({
    'On the internet': { type: 'external', ip_family: 'ipv4' },
    'Any address of a subnet, for several instances': {
      type: 'subnet',
      subnet_id: SAMPLE.subnet,
      is_vip: true,
    },
    'A certain address': {
      type: 'ip_address',
      network_id: SAMPLE.network,
      ip_address: '192.168.10.50',
    },
  }),
  UpdateReservedFixedIp: { is_vip: true },
  ConnectDevices: { port_ids: [SAMPLE.port] },
};
